import type { Account } from "../model/account.ts";
import type { Demand } from "./demand.ts";
import type { QuotaFacts } from "./facts.ts";
import { borrowedOf } from "./guarantee.ts";
import type { Held } from "./held.ts";

/**
 * How much of the surplus an account has, over its weight: the largest, over GPUs, cores and memory, of what it holds
 * beyond its guarantee as a part of what the fleet has. An exact fraction; floats would make ties depend on rounding.
 */
export interface Share {
  /** Borrowed, and what the fleet has times the weight; `of` is 0 for a borrower of weight 0. */
  readonly borrowed: number;
  readonly of: number;
  /** The fleet's amount without the weight: how two borrowers of weight 0 are compared. */
  readonly fleet: number;
}

export const noShare: Share = { borrowed: 0, of: 1, fleet: 1 };

/** The share an account would have if it held `held` and `add`. `past` GPU units that it borrowed earlier count as well. */
export function shareOf(quotas: QuotaFacts, account: Account, held: Held, add?: Demand, past = 0): Share {
  const { units, memoryUnits, cpusMilli, memoryMiB } = borrowedOf(quotas, account, held, add);
  return largest(quotas, units + past, memoryUnits, cpusMilli, memoryMiB, account.terms.quota.weight);
}

/** The share of a job that is a side of its own: nothing is guaranteed to it. */
export function shareOfJob(quotas: QuotaFacts, { units, memoryUnits, cpusMilli, memoryMiB }: Demand): Share {
  return largest(quotas, units, memoryUnits, cpusMilli, memoryMiB, 1);
}

function largest(
  quotas: QuotaFacts,
  units: number,
  memoryUnits: number,
  cpusMilli: number,
  memoryMiB: number,
  weight: number,
): Share {
  const { totals } = quotas.fleet;
  let borrowed = Math.max(units, memoryUnits);
  let fleet = totals.gpuUnits;
  if (isLarger(cpusMilli, totals.cpusMilli, borrowed, fleet)) {
    borrowed = cpusMilli;
    fleet = totals.cpusMilli;
  }
  if (isLarger(memoryMiB, totals.memoryMiB, borrowed, fleet)) {
    borrowed = memoryMiB;
    fleet = totals.memoryMiB;
  }
  return borrowed === 0 || fleet === 0 ? noShare : { borrowed, of: fleet * weight, fleet };
}

/** Whether one is the larger part of what the fleet has; of nothing there is no part. All have the same weight. */
function isLarger(a: number, ofA: number, b: number, ofB: number): boolean {
  if (a === 0 || ofA === 0) return false;
  return b === 0 || ofB === 0 || compareProducts(a, ofB, b, ofA) > 0;
}

/** Below 0 when `a` is the smaller. Nothing borrowed is the smallest; borrowing at weight 0 is larger than anything. */
export function compareShares(a: Share, b: Share): number {
  if (a.borrowed === 0 || b.borrowed === 0) return a.borrowed - b.borrowed;
  if (a.of === 0 || b.of === 0) {
    if (a.of !== 0 || b.of !== 0) return a.of === 0 ? 1 : -1;
    return compareProducts(a.borrowed, b.fleet, b.borrowed, a.fleet);
  }
  return compareProducts(a.borrowed, b.of, b.borrowed, a.of);
}

/** Sign of a·b − c·d, exactly. */
function compareProducts(a: number, b: number, c: number, d: number): number {
  const left = a * b;
  const right = c * d;
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER)
    return left < right ? -1 : left > right ? 1 : 0;
  const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
  return exact < 0n ? -1 : exact > 0n ? 1 : 0;
}
