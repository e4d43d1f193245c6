import { modelMatches } from "../submit/gpus.ts";
import type { Payer, Payers, Slot, TenantPayer } from "./payers.ts";

/** One of those among whom units are divided. */
interface Part {
  weight: number;
  readonly held: number;
  units: number;
}

/**
 * Divides what a tenant holds beyond its floor among what its accounts hold: each entry of the floor holds its own, the
 * rest must fit into `*` [U2]; what does not is passed down the tree in proportion to what each account holds beyond
 * its own floor, largest remainder by path.
 */
export function divideBeyond(payers: Payers, tenant: TenantPayer): void {
  for (const slot of tenant.live) slot.beyond = 0;
  const { entries, used, guarantee } = tenant;
  const groups: Part[] = [];
  let over = 0;
  for (let group = 0; group <= entries.length; group++) {
    const held = used[group] ?? 0;
    const promised = group < entries.length ? guarantee[entries[group]!]! : 0;
    const weight = Math.max(0, held - promised);
    groups.push({ weight, held, units: 0 });
    over += weight;
  }
  const beyond = over - (guarantee["*"] ?? 0);
  if (beyond <= 0) return;
  divide(beyond, groups);
  for (const [group, { units, held }] of groups.entries()) {
    if (units === 0) continue;
    if (units === held) allOf(payers, tenant, group);
    else passDown(payers, tenant, group, units);
  }
}

function allOf(payers: Payers, tenant: TenantPayer, group: number): void {
  for (const slot of tenant.live) {
    if (slot.units > 0 && payers.groupOf(tenant, slot.model) === group) slot.beyond = slot.units;
  }
}

function passDown(payers: Payers, payer: Payer, group: number, units: number): void {
  const { tenant } = payer;
  const slots: (Part & { slot: Slot })[] = [];
  for (const slot of payer.slots) {
    if (slot.units === 0 || payers.groupOf(tenant, slot.model) !== group) continue;
    slots.push({ slot, weight: slot.units, held: slot.units, units: 0 });
  }
  const children: (Part & { child: Payer })[] = [];
  for (const child of payer.children) {
    const held = child.used[group] ?? 0;
    if (held === 0) continue;
    children.push({ child, weight: Math.max(0, held - floorIn(child, tenant, group)), held, units: 0 });
  }
  divide(units, [...slots, ...children]);
  for (const { slot, units: part } of slots) slot.beyond = part;
  for (const { child, units: part } of children) if (part > 0) passDown(payers, child, group, part);
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

/** Divides by weight; where the weights do not reach (an overcommitted floor), by what is held. Nobody gets more than it holds. */
function divide(units: number, parts: readonly Part[]): void {
  let sum = 0;
  for (const part of parts) sum += part.weight;
  if (sum < units) {
    sum = 0;
    for (const part of parts) {
      part.weight = part.held;
      sum += part.held;
    }
  }
  let left = units;
  const rests: { part: Part; rest: number; i: number }[] = [];
  for (const [i, part] of parts.entries()) {
    if (part.weight === 0) continue;
    const product = units * part.weight;
    if (product <= Number.MAX_SAFE_INTEGER) {
      part.units = Math.floor(product / sum);
      rests.push({ part, rest: product - part.units * sum, i });
    } else {
      const exact = BigInt(units) * BigInt(part.weight);
      part.units = Number(exact / BigInt(sum));
      rests.push({ part, rest: Number(exact % BigInt(sum)), i });
    }
    left -= part.units;
  }
  if (left === 0) return;
  rests.sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (let k = 0; left > 0; k++, left--) rests[k]!.part.units++;
}
