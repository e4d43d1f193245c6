import { Apportion } from "./apportion.ts";
import type { Payer, TenantPayer } from "./payer.ts";
import { countRow, ofAllBurst, ofChanged, ofDivided, ofPromised, ofUsed, type Payers } from "./payers.ts";

/**
 * Splits the units that a tenant holds beyond its floor among its holdings. Each entry of the floor covers its own
 * models, and `*` covers what the named entries do not [U2]. The excess is passed down the account tree in proportion
 * to what each account holds beyond its own floor, largest remainder first, equal ones by path. Only branches that
 * changed are split again.
 */
export class BurstSplit {
  readonly #payers: Payers;
  /** One for each depth of the tree, reused for every tenant and instant. */
  readonly #byDepth: Apportion[] = [];
  readonly #groups = new Apportion();

  constructor(payers: Payers) {
    this.#payers = payers;
  }

  divide(tenant: TenantPayer): void {
    const { floor, row, dirtyGroups, dirtyCount } = tenant;
    const { counts } = this.#payers;
    if (tenant.anyFloor === 0) {
      for (let i = 0; i < dirtyCount; i++) {
        const group = dirtyGroups[i]!;
        const promised = group < floor.length ? floor[group]! : 0;
        this.#divideTenant(tenant, group, Math.max(0, counts[(row + group) * countRow + ofUsed]! - promised));
      }
    } else {
      this.#divideAll(tenant);
    }
    for (let i = 0; i < dirtyCount; i++) counts[(row + dirtyGroups[i]!) * countRow + ofChanged] = 0;
    tenant.dirtyCount = 0;
  }

  /** A floor of `*` covers the excess of all groups together, so no group can be divided on its own. */
  #divideAll(tenant: TenantPayer): void {
    const { floor, row, anyFloor } = tenant;
    const over = this.#groups;
    over.clear(floor.length + 1);
    for (let group = 0; group <= floor.length; group++) {
      const used = this.#payers.counts[(row + group) * countRow + ofUsed]!;
      over.add(group, Math.max(0, used - (group < floor.length ? floor[group]! : 0)), used);
    }
    over.divide(Math.max(0, over.weight - anyFloor));
    for (let group = 0; group <= floor.length; group++) this.#divideTenant(tenant, group, over.part(group));
  }

  #divideTenant(tenant: TenantPayer, group: number, units: number): void {
    const { counts } = this.#payers;
    const place = (tenant.row + group) * countRow;
    // A group that is within its floor, and was before, has no holding to update.
    if (units === 0 && counts[place + ofDivided] === 0) return;
    const all = units === counts[place + ofUsed] && units > 0;
    if (all && counts[place + ofAllBurst] === 1) counts[place + ofDivided] = units;
    else this.#divideGroup(tenant, group, units, 0);
    counts[place + ofAllBurst] = all ? 1 : 0;
  }

  #divideGroup(payer: Payer, group: number, units: number, depth: number): void {
    const used = this.#payers.counts[(payer.row + group) * countRow + ofUsed]!;
    if (units > 0 && units < used) this.#passDown(payer, group, units, depth);
    else this.#allOrNothing(payer, group, units > 0);
  }

  #allOrNothing(payer: Payer, group: number, all: boolean): void {
    const { holdings, counts } = this.#payers;
    const { borrowed } = payer.tenant;
    for (const holding of payer.holdings[group]!) {
      holdings.setBurst(holding, all ? holdings.units[holding]! : 0, borrowed);
    }
    for (const child of payer.children) {
      if (counts[(child.row + group) * countRow + ofUsed]! > 0) this.#allOrNothing(child, group, all);
    }
    this.#note(payer, group, all ? counts[(payer.row + group) * countRow + ofUsed]! : 0);
  }

  #passDown(payer: Payer, group: number, units: number, depth: number): void {
    const { children, tenant } = payer;
    const { holdings, counts } = this.#payers;
    const held = holdings.units;
    const own = payer.holdings[group]!;
    this.#byDepth[depth] ??= new Apportion();
    const parts = this.#byDepth[depth];
    parts.clear(own.length + children.length);
    for (let i = 0; i < own.length; i++) {
      const holding = own[i]!;
      if (held[holding]! > 0) parts.add(holding, held[holding]!, held[holding]!);
    }
    const ownCount = parts.count;
    for (let i = 0; i < children.length; i++) {
      const place = (children[i]!.row + group) * countRow;
      const used = counts[place + ofUsed]!;
      if (used > 0) parts.add(i, Math.max(0, used - counts[place + ofPromised]!), used);
    }
    parts.divide(units);
    for (let i = 0; i < ownCount; i++) holdings.setBurst(parts.id(i), parts.part(i), tenant.borrowed);
    for (let i = ownCount; i < parts.count; i++) {
      const child = children[parts.id(i)]!;
      const place = (child.row + group) * countRow;
      const part = parts.part(i);
      if (counts[place + ofChanged] === 1 || counts[place + ofDivided] !== part) {
        this.#divideGroup(child, group, part, depth + 1);
      }
    }
    this.#note(payer, group, units);
  }

  /** Remembers how much was divided, so that an unchanged branch is skipped next time. */
  #note(payer: Payer, group: number, units: number): void {
    const { counts } = this.#payers;
    const place = (payer.row + group) * countRow;
    counts[place + ofDivided] = units;
    if (payer.parent !== undefined) counts[place + ofChanged] = 0;
  }
}
