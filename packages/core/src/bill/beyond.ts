import {
  countRow,
  ofAllBeyond,
  ofChanged,
  ofDivided,
  ofPromised,
  ofUsed,
  type Payer,
  type Payers,
  type TenantPayer,
} from "./payers.ts";

/**
 * Divides what a tenant holds beyond its floor among what its accounts hold: each entry of the floor holds its own, the
 * rest must fit into `*` [U2]; what does not is passed down the tree in proportion to what each account holds beyond
 * its own floor, largest remainder by path. What did not change is left as it is.
 */
export class Beyond {
  readonly #payers: Payers;
  /** One for each depth of the tree, used again for every tenant and instant. */
  readonly #parts: Parts[] = [];
  readonly #groups = new Parts();

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

  /** Where a floor of any model catches what the others do not hold, the groups depend on each other. */
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
    // What is within its floor and was before needs no look at its slots.
    if (units === 0 && counts[place + ofDivided] === 0) return;
    const all = units === counts[place + ofUsed] && units > 0;
    if (all && counts[place + ofAllBeyond] === 1) counts[place + ofDivided] = units;
    else this.#divideGroup(tenant, group, units, 0);
    counts[place + ofAllBeyond] = all ? 1 : 0;
  }

  #divideGroup(payer: Payer, group: number, units: number, depth: number): void {
    const used = this.#payers.counts[(payer.row + group) * countRow + ofUsed]!;
    if (units > 0 && units < used) this.#passDown(payer, group, units, depth);
    else this.#allOrNothing(payer, group, units > 0);
  }

  #allOrNothing(payer: Payer, group: number, all: boolean): void {
    const { slots, counts } = this.#payers;
    const { borrowed } = payer.tenant;
    for (const slot of payer.slots[group]!) slots.setBeyond(slot, all ? slots.units[slot]! : 0, borrowed);
    for (const child of payer.children) {
      if (counts[(child.row + group) * countRow + ofUsed]! > 0) this.#allOrNothing(child, group, all);
    }
    this.#note(payer, group, all ? counts[(payer.row + group) * countRow + ofUsed]! : 0);
  }

  #passDown(payer: Payer, group: number, units: number, depth: number): void {
    const { children, tenant } = payer;
    const { slots, counts } = this.#payers;
    const held = slots.units;
    const own = payer.slots[group]!;
    this.#parts[depth] ??= new Parts();
    const parts = this.#parts[depth];
    parts.clear(own.length + children.length);
    for (let i = 0; i < own.length; i++) {
      const slot = own[i]!;
      if (held[slot]! > 0) parts.add(slot, held[slot]!, held[slot]!);
    }
    const ofSlots = parts.count;
    for (let i = 0; i < children.length; i++) {
      const place = (children[i]!.row + group) * countRow;
      const used = counts[place + ofUsed]!;
      if (used > 0) parts.add(i, Math.max(0, used - counts[place + ofPromised]!), used);
    }
    parts.divide(units);
    for (let i = 0; i < ofSlots; i++) slots.setBeyond(parts.whose(i), parts.part(i), tenant.borrowed);
    for (let i = ofSlots; i < parts.count; i++) {
      const child = children[parts.whose(i)]!;
      const place = (child.row + group) * countRow;
      const part = parts.part(i);
      if (counts[place + ofChanged] === 1 || counts[place + ofDivided] !== part) {
        this.#divideGroup(child, group, part, depth + 1);
      }
    }
    this.#note(payer, group, units);
  }

  /** So much of an account was divided; it need not be again until something changes. */
  #note(payer: Payer, group: number, units: number): void {
    const { counts } = this.#payers;
    const place = (payer.row + group) * countRow;
    counts[place + ofDivided] = units;
    if (payer.parent !== undefined) counts[place + ofChanged] = 0;
  }
}

/** Those among whom units are divided, each with a weight and what it holds, which is the most it can get. */
class Parts {
  count = 0;
  weight = 0;
  #whose = new Int32Array(16);
  #weights: Float64Array = new Float64Array(16);
  #held: Float64Array = new Float64Array(16);
  #parts: Float64Array = new Float64Array(16);
  #rests: Float64Array = new Float64Array(16);

  /** Begins anew, with room for so many. */
  clear(room: number): void {
    this.count = 0;
    this.weight = 0;
    if (room > this.#whose.length) this.#grow(2 * room);
  }

  add(whose: number, weight: number, held: number): void {
    const no = this.count++;
    this.#whose[no] = whose;
    this.#weights[no] = weight;
    this.#held[no] = held;
    this.weight += weight;
  }

  /** Under what number one was added. */
  whose(no: number): number {
    return this.#whose[no]!;
  }

  part(no: number): number {
    return this.#parts[no]!;
  }

  /** Divides by weight; where the weights do not reach (an overcommitted floor), by what is held. */
  divide(units: number): void {
    const weights = this.weight >= units ? this.#weights : this.#held;
    const [count, parts, rests] = [this.count, this.#parts, this.#rests];
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i]!;
    let left = units;
    for (let i = 0; i < count; i++) {
      const weight = weights[i]!;
      parts[i] = 0;
      rests[i] = -1;
      if (weight === 0 || units === 0) continue;
      const product = units * weight;
      if (product <= Number.MAX_SAFE_INTEGER) {
        parts[i] = Math.floor(product / sum);
        rests[i] = product - parts[i]! * sum;
      } else {
        const exact = BigInt(units) * BigInt(weight);
        parts[i] = Number(exact / BigInt(sum));
        rests[i] = Number(exact % BigInt(sum));
      }
      left -= parts[i]!;
    }
    // Fewer are left over than there are parts: the largest remainder each time, the first of equals.
    for (; left > 0; left--) {
      let largest = 0;
      for (let i = 1; i < count; i++) if (rests[i]! > rests[largest]!) largest = i;
      parts[largest]!++;
      rests[largest] = -1;
    }
  }

  #grow(room: number): void {
    this.#whose = new Int32Array(room);
    this.#weights = new Float64Array(room);
    this.#held = new Float64Array(room);
    this.#parts = new Float64Array(room);
    this.#rests = new Float64Array(room);
  }
}
