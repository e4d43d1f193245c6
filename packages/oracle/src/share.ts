import { type Amount, beyondGuarantee, fleetTotals } from "./amount.ts";
import type { World } from "./world.ts";

/** Borrowed ÷ (fleet × weight), exactly; weight 0 is above every other weight, and then only the fleet counts. */
export interface Share {
  readonly borrowed: number;
  readonly fleet: number;
  readonly weight: number;
}

const none: Share = { borrowed: 0, fleet: 1, weight: 1 };

/** The share of an account that holds `held`. */
export function shareOf(world: World, account: number, held: Amount): Share {
  return largest(world, beyondGuarantee(world, account, held), world.accounts[account]!.quota.weight);
}

/** The share of a job that belongs to the lowest common account itself: a side of its own, without a guarantee. */
export function shareOfJob(world: World, amount: Amount): Share {
  const { length } = world.models;
  const total = (from: number) => amount.slice(from, from + length).reduce((a, b) => a + b, 0);
  return largest(world, [total(0), total(length), amount[length * 2]!, amount[length * 2 + 1]!], 1);
}

function largest(world: World, borrowed: readonly number[], weight: number): Share {
  const totals = fleetTotals(world);
  let share = none;
  for (const [dimension, amount] of borrowed.entries()) {
    const fleet = totals[dimension]!;
    if (amount === 0 || fleet === 0) continue;
    const other = { borrowed: amount, fleet, weight };
    if (compareShares(other, share) > 0) share = other;
  }
  return share;
}

/** Below 0 if `a` is smaller. */
export function compareShares(a: Share, b: Share): number {
  if (a.borrowed === 0 || b.borrowed === 0) return Math.sign(a.borrowed - b.borrowed);
  if (a.weight === 0 && b.weight === 0) return compareProducts(a.borrowed, b.fleet, 1, b.borrowed, a.fleet, 1);
  if (a.weight === 0) return 1;
  if (b.weight === 0) return -1;
  return compareProducts(a.borrowed, b.fleet, b.weight, b.borrowed, a.fleet, a.weight);
}

/** The sign of a·b·c − d·e·f. */
function compareProducts(a: number, b: number, c: number, d: number, e: number, f: number): number {
  const [left, right] = [a * b * c, d * e * f];
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return Math.sign(left - right);
  const exact = BigInt(a) * BigInt(b) * BigInt(c) - BigInt(d) * BigInt(e) * BigInt(f);
  return exact < 0n ? -1 : exact > 0n ? 1 : 0;
}
