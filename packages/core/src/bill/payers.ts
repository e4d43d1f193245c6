import { type FloorChange, tenantOfPath, type Usage } from "../meter/usage.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { Holdings } from "./holdings.ts";
import type { Payer, TenantPayer } from "./payer.ts";
import { Skus } from "./skus.ts";
import { fitting } from "./wide.ts";

/** How many numbers `Payers.counts` has for an account in one group of its tenant's floor. */
export const countRow = 5;
/** Units held by the account and everything below it. */
export const ofUsed = 0;
/** Units of the group that the account is guaranteed. */
export const ofPromised = 1;
/** Units beyond the floor when they were last divided. */
export const ofDivided = 2;
/** 1 if something at or below the account changed since. */
export const ofChanged = 3;
/** 1 if everything in a tenant's group is beyond the floor: then a change affects the changed holding only. */
export const ofAllBurst = 4;
const noRow = -1;

/** The accounts that hold or are guaranteed anything, with all accounts above them. */
export class Payers {
  readonly byPath = new Map<string, Payer>();
  /** Sorted by path. */
  readonly tenants: TenantPayer[] = [];
  /** Every model that was held, in the order of first use. */
  readonly models: string[] = [];
  readonly holdings = new Holdings();
  /** The counts of every account by group, in rows of `countRow`. */
  counts: Float64Array = new Float64Array(64 * countRow);
  /** For each row, the row of the parent in the same group. */
  readonly #above: number[] = [];
  readonly #modelNo = new Map<string, number>();
  readonly #skus = new Skus();
  /** The last lookup: the usages of one lease come one after the other. */
  #last: Payer | undefined;

  at(path: string): Payer {
    if (this.#last?.path === path) return this.#last;
    const payer = this.byPath.get(path) ?? this.#add(path);
    this.#last = payer;
    return payer;
  }

  /** The number of the holding that a usage belongs to; added where it is missing. */
  holdingFor(usage: Usage): number {
    const payer = this.at(usage.account);
    const sku = this.#skus.of(usage);
    const known = payer.holdingOf[sku.no];
    if (known !== undefined) return known;
    const { tenant } = payer;
    const modelNo = this.#noOf(usage.model);
    while (tenant.borrowed.length <= modelNo) tenant.borrowed.push(0);
    const holding = this.holdings.add(payer, sku, modelNo, payer.row + this.groupOf(tenant, usage.model));
    while (payer.holdingOf.length < sku.no) payer.holdingOf.push(undefined);
    payer.holdingOf[sku.no] = holding;
    tenant.allHoldings.push(holding);
    this.#insert(holding);
    return holding;
  }

  #noOf(model: string): number {
    let no = this.#modelNo.get(model);
    if (no === undefined) {
      no = this.models.push(model) - 1;
      this.#modelNo.set(model, no);
    }
    return no;
  }

  /** Changes a floor. A tenant's new entries make new groups, so its holdings are grouped again. */
  promise({ account, guarantee, lendable }: FloorChange): void {
    const payer = this.at(account);
    payer.guarantee = guarantee;
    const { tenant } = payer;
    if (payer === tenant) {
      tenant.lendable = lendable;
      tenant.entries = Object.keys(guarantee)
        .filter((entry) => entry !== "*")
        .sort();
      tenant.floor = Float64Array.from(tenant.entries, (entry) => guarantee[entry]!);
      tenant.anyFloor = guarantee["*"] ?? 0;
      tenant.floorNo++;
      tenant.groupOf.clear();
      this.#regroup(tenant);
      return;
    }
    for (let group = 0; group <= tenant.entries.length; group++) {
      this.counts[(payer.row + group) * countRow + ofPromised] = promisedIn(payer, group);
      this.#count(payer.row + group, 0, tenant);
    }
  }

  /** The group of the tenant's floor that covers a model: the longest entry that matches it [U2]. */
  groupOf(tenant: TenantPayer, model: string): number {
    const known = tenant.groupOf.get(model);
    if (known !== undefined) return known;
    let group = tenant.entries.length;
    for (const [i, entry] of tenant.entries.entries()) {
      const longer = group === tenant.entries.length || entry.length > tenant.entries[group]!.length;
      if (modelMatches(entry, model) && longer) group = i;
    }
    tenant.groupOf.set(model, group);
    return group;
  }

  #add(path: string): Payer {
    const base = { path, children: [], holdingOf: [], guarantee: {}, row: noRow, holdings: [] };
    if (path === tenantOfPath(path)) {
      const tenant = {
        ...{ ...base, no: this.tenants.length, parent: undefined, lendable: undefined },
        ...{ entries: [], floor: new Float64Array(), anyFloor: 0, floorNo: 0, groupOf: new Map<string, number>() },
        ...{ allHoldings: [], live: [], isDirty: false, borrowed: [], dirtyGroups: new Int32Array(1), dirtyCount: 0 },
      } as unknown as TenantPayer & { tenant: TenantPayer };
      tenant.tenant = tenant;
      this.#addRows(tenant);
      this.byPath.set(path, tenant);
      insertByPath(this.tenants, tenant);
      return tenant;
    }
    const parent = this.at(path.slice(0, path.lastIndexOf("/")));
    const payer: Payer = { ...base, parent, tenant: parent.tenant };
    this.#addRows(payer);
    this.byPath.set(path, payer);
    insertByPath(parent.children, payer);
    return payer;
  }

  /** Gives an account new rows, one for each group of its tenant, with nothing used. */
  #addRows(payer: Payer): void {
    const groups = payer.tenant.entries.length + 1;
    payer.row = this.#above.length;
    payer.holdings = Array.from({ length: groups }, () => []);
    this.counts = fitting(this.counts, (payer.row + groups) * countRow);
    for (let group = 0; group < groups; group++) {
      this.#above.push(payer.parent === undefined ? noRow : payer.parent.row + group);
      this.counts[(payer.row + group) * countRow + ofPromised] = promisedIn(payer, group);
    }
  }

  #regroup(tenant: TenantPayer): void {
    const { holdings } = this;
    for (const holding of tenant.allHoldings) {
      holdings.setBurst(holding, 0, tenant.borrowed);
      holdings.settleHeld(holding);
    }
    this.#addRowsBelow(tenant);
    tenant.dirtyGroups = new Int32Array(tenant.entries.length + 1);
    tenant.dirtyCount = 0;
    for (let group = 0; group <= tenant.entries.length; group++) this.#count(tenant.row + group, 0, tenant);
    for (const holding of tenant.allHoldings) {
      const units = holdings.units[holding]!;
      holdings.rows[holding] = holdings.payers[holding]!.row + this.groupOf(tenant, holdings.skus[holding]!.model);
      holdings.units[holding] = 0;
      this.#insert(holding);
      this.count(holding, units);
    }
  }

  #addRowsBelow(payer: Payer): void {
    this.#addRows(payer);
    for (const child of payer.children) this.#addRowsBelow(child);
  }

  /** Adds units to a holding (or takes them off) and to all accounts above it. */
  count(holding: number, units: number): void {
    if (units === 0) return;
    const { holdings } = this;
    const tenant = holdings.tenants[holding]!;
    holdings.settleHeld(holding);
    const after = holdings.units[holding]! + units;
    holdings.units[holding] = after;
    const row = this.#count(holdings.rows[holding]!, units, tenant);
    if (after === 0) holdings.setBurst(holding, 0, tenant.borrowed);
    else if (this.counts[row * countRow + ofAllBurst] === 1) holdings.setBurst(holding, after, tenant.borrowed);
  }

  /** Adds units along the path up to the tenant and marks it as changed. Returns the row of the tenant. */
  #count(first: number, units: number, tenant: TenantPayer): number {
    const { counts } = this;
    const above = this.#above;
    let row = first;
    for (; above[row] !== noRow; row = above[row]!) {
      counts[row * countRow + ofUsed]! += units;
      counts[row * countRow + ofChanged] = 1;
    }
    counts[row * countRow + ofUsed]! += units;
    if (counts[row * countRow + ofChanged] === 0) {
      counts[row * countRow + ofChanged] = 1;
      tenant.dirtyGroups[tenant.dirtyCount++] = row - tenant.row;
    }
    return row;
  }

  #insert(holding: number): void {
    const { skus, payers, rows } = this.holdings;
    const payer = payers[holding]!;
    const among = payer.holdings[rows[holding]! - payer.row]!;
    const place = among.findIndex((other) => skus[other]!.key > skus[holding]!.key);
    among.splice(place < 0 ? among.length : place, 0, holding);
  }
}

/** Units that an account is guaranteed of the models of its tenant's group. */
function promisedIn({ guarantee, tenant }: Payer, group: number): number {
  const entry = tenant.entries[group];
  let units = 0;
  for (const own in guarantee) {
    if (entry === undefined || own === entry || modelMatches(entry, own)) units += guarantee[own]!;
  }
  return units;
}

function insertByPath<Each extends Payer>(payers: Each[], payer: Each): void {
  const place = payers.findIndex(({ path }) => path > payer.path);
  payers.splice(place < 0 ? payers.length : place, 0, payer);
}
