import type { Instant } from "../model/units.ts";
import { modelMatches } from "../submit/gpus.ts";
import { type Payer, type Slot, setBeyond, type TenantPayer } from "./payers.ts";

/**
 * Divides what a tenant holds beyond its floor among what its accounts hold: each entry of the floor holds its own, the
 * rest must fit into `*` [U2]; what does not is passed down the tree in proportion to what each account holds beyond
 * its own floor, largest remainder by path. Groups in which nothing changed are left as they are.
 */
export class Beyond {
  /** One for each depth of the tree, used again for every tenant and instant. */
  readonly #parts: Parts[] = [];
  #at: Instant = 0;

  divide(tenant: TenantPayer, at: Instant): void {
    this.#at = at;
    const { entries, used, guarantee, dirtyGroups } = tenant;
    const any = guarantee["*"] ?? 0;
    if (any === 0) {
      for (const group of dirtyGroups) {
        const promised = group < entries.length ? guarantee[entries[group]!]! : 0;
        this.#divideTenant(tenant, group, Math.max(0, (used[group] ?? 0) - promised));
      }
    } else {
      this.#divideAll(tenant, any);
    }
    dirtyGroups.clear();
  }

  /** Where a floor of any model catches what the others do not hold, the groups depend on each other. */
  #divideAll(tenant: TenantPayer, any: number): void {
    const { entries, used, guarantee } = tenant;
    const over = new Parts();
    for (let group = 0; group <= entries.length; group++) {
      const promised = group < entries.length ? guarantee[entries[group]!]! : 0;
      over.add(Math.max(0, (used[group] ?? 0) - promised), used[group] ?? 0);
    }
    const parts = over.divide(Math.max(0, over.weight - any));
    for (let group = 0; group <= entries.length; group++) this.#divideTenant(tenant, group, parts[group]!);
  }

  #divideTenant(tenant: TenantPayer, group: number, units: number): void {
    // What is within its floor and was before needs no look at its slots.
    if (units === 0 && (tenant.beyondIn[group] ?? 0) === 0) return;
    tenant.beyondIn[group] = units;
    this.#divideGroup(tenant, group, units, 0);
  }

  #divideGroup(payer: Payer, group: number, units: number, depth: number): void {
    if (units > 0 && units < (payer.used[group] ?? 0)) this.#passDown(payer, group, units, depth);
    else this.#allOrNothing(payer, group, units > 0);
  }

  #allOrNothing(payer: Payer, group: number, all: boolean): void {
    for (const slot of payer.holding[group] ?? none) setBeyond(slot, all ? slot.units : 0, this.#at);
    for (const child of payer.children) if ((child.used[group] ?? 0) > 0) this.#allOrNothing(child, group, all);
  }

  #passDown(payer: Payer, group: number, units: number, depth: number): void {
    const { tenant, children } = payer;
    const slots = payer.holding[group] ?? none;
    this.#parts[depth] ??= new Parts();
    const parts = this.#parts[depth];
    parts.clear();
    for (const slot of slots) parts.add(slot.units, slot.units);
    for (const child of children) {
      const held = child.used[group] ?? 0;
      parts.add(held === 0 ? 0 : Math.max(0, held - floorIn(child, tenant, group)), held);
    }
    const divided = parts.divide(units);
    for (let i = 0; i < slots.length; i++) setBeyond(slots[i]!, divided[i]!, this.#at);
    for (let i = 0; i < children.length; i++) {
      if ((children[i]!.used[group] ?? 0) === 0) continue;
      this.#divideGroup(children[i]!, group, divided[slots.length + i]!, depth + 1);
    }
  }
}

const none: readonly Slot[] = [];

/** What a child is promised of the models of a group of its tenant. */
function floorIn(child: Payer, tenant: TenantPayer, group: number): number {
  const entry = tenant.entries[group];
  let units = 0;
  for (const own in child.guarantee) {
    if (entry === undefined || own === entry || modelMatches(entry, own)) units += child.guarantee[own]!;
  }
  return units;
}

/** Those among whom units are divided, each with a weight and what it holds, which is the most it can get. */
class Parts {
  #count = 0;
  readonly #weights: number[] = [];
  readonly #held: number[] = [];
  readonly #parts: number[] = [];
  readonly #rests: number[] = [];
  weight = 0;

  clear(): void {
    this.#count = 0;
    this.weight = 0;
  }

  add(weight: number, held: number): void {
    this.#weights[this.#count] = weight;
    this.#held[this.#count] = held;
    this.#count++;
    this.weight += weight;
  }

  /** Divides by weight; where the weights do not reach (an overcommitted floor), by what is held. Good until the next. */
  divide(units: number): readonly number[] {
    const weights = this.weight >= units ? this.#weights : this.#held;
    const [count, parts, rests] = [this.#count, this.#parts, this.#rests];
    let sum = 0;
    for (let i = 0; i < count; i++) {
      parts[i] = 0;
      rests[i] = -1;
      sum += weights[i]!;
    }
    if (units === 0) return parts;
    let left = units;
    for (let i = 0; i < count; i++) {
      const weight = weights[i]!;
      if (weight === 0) continue;
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
    return parts;
  }
}
