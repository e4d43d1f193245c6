import { modelMatches } from "../submit/gpus.ts";
import type { Payer, TenantPayer } from "./payers.ts";

/**
 * Divides what a tenant holds beyond its floor among what its accounts hold: each entry of the floor holds its own, the
 * rest must fit into `*` [U2]; what does not is passed down the tree in proportion to what each account holds beyond
 * its own floor, largest remainder by path. Groups in which nothing changed are left as they are.
 */
export function divideBeyond(tenant: TenantPayer): void {
  const { entries, used, guarantee, dirtyGroups } = tenant;
  const any = guarantee["*"] ?? 0;
  if (any === 0) {
    for (const group of dirtyGroups) {
      const promised = group < entries.length ? guarantee[entries[group]!]! : 0;
      divideGroup(tenant, group, Math.max(0, (used[group] ?? 0) - promised));
    }
  } else {
    divideAll(tenant, any);
  }
  dirtyGroups.clear();
}

/** Where a floor of any model catches what the others do not hold, the groups depend on each other. */
function divideAll(tenant: TenantPayer, any: number): void {
  const { entries, used, guarantee } = tenant;
  const over = new Parts();
  for (let group = 0; group <= entries.length; group++) {
    const promised = group < entries.length ? guarantee[entries[group]!]! : 0;
    over.add(Math.max(0, (used[group] ?? 0) - promised), used[group] ?? 0);
  }
  const parts = over.divide(Math.max(0, over.weight - any));
  for (let group = 0; group <= entries.length; group++) divideGroup(tenant, group, parts[group]!);
}

function divideGroup(payer: Payer, group: number, units: number): void {
  if (units > 0 && units < (payer.used[group] ?? 0)) passDown(payer, group, units);
  else allOrNothing(payer, group, units > 0);
}

function allOrNothing(payer: Payer, group: number, all: boolean): void {
  for (const slot of payer.holding[group] ?? []) slot.beyond = all ? slot.units : 0;
  for (const child of payer.children) if ((child.used[group] ?? 0) > 0) allOrNothing(child, group, all);
}

function passDown(payer: Payer, group: number, units: number): void {
  const { tenant, children } = payer;
  const slots = payer.holding[group] ?? [];
  const parts = new Parts();
  for (const slot of slots) parts.add(slot.units, slot.units);
  for (const child of children) {
    const held = child.used[group] ?? 0;
    parts.add(held === 0 ? 0 : Math.max(0, held - floorIn(child, tenant, group)), held);
  }
  const divided = parts.divide(units);
  for (let i = 0; i < slots.length; i++) slots[i]!.beyond = divided[i]!;
  for (let i = 0; i < children.length; i++) {
    if ((children[i]!.used[group] ?? 0) > 0) divideGroup(children[i]!, group, divided[slots.length + i]!);
  }
}

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
  readonly #weights: number[] = [];
  readonly #held: number[] = [];
  weight = 0;

  add(weight: number, held: number): void {
    this.#weights.push(weight);
    this.#held.push(held);
    this.weight += weight;
  }

  /** Divides by weight; where the weights do not reach (an overcommitted floor), by what is held. */
  divide(units: number): number[] {
    const weights = this.weight >= units ? this.#weights : this.#held;
    const parts: number[] = new Array(weights.length).fill(0);
    if (units === 0) return parts;
    let sum = 0;
    for (const weight of weights) sum += weight;
    const rests: number[] = new Array(weights.length).fill(-1);
    let left = units;
    for (let i = 0; i < weights.length; i++) {
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
      for (let i = 1; i < rests.length; i++) if (rests[i]! > rests[largest]!) largest = i;
      parts[largest]!++;
      rests[largest] = -1;
    }
    return parts;
  }
}
