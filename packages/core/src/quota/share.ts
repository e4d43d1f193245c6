import type { Account } from "../model/account.ts";
import type { Demand } from "./demand.ts";
import type { QuotaFacts } from "./facts.ts";
import { borrowedOf } from "./guarantee.ts";
import type { Held } from "./held.ts";

/**
 * The dominant share of an account: the largest, over GPUs, cores and memory, of borrowed ÷ (fleet total × weight). An
 * exact fraction; floats would make ties depend on rounding.
 */
export interface Share {
  /** Numerator and denominator: borrowed, and fleet total × weight; `of` is 0 for a borrower of weight 0. */
  readonly borrowed: number;
  readonly of: number;
  /** The fleet total without the weight: two borrowers of weight 0 are compared by it. */
  readonly fleet: number;
}

export const noShare: Share = { borrowed: 0, of: 1, fleet: 1 };

/** The share of an account that held `held` plus `add`; `past` are the borrowed GPU units of its history [O2]. */
export function shareOf(quotas: QuotaFacts, account: Account, held: Held, add?: Demand, past = 0): Share {
  const { units, memoryUnits, cpusMilli, memoryMiB } = borrowedOf(quotas, account, held, add);
  return largest(quotas, units + past, memoryUnits, cpusMilli, memoryMiB, account.terms.quota.weight);
}

/** The share of a job that is a side of its own: it has no guarantee. */
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

/** Whether a/ofA > b/ofB, by the same weight; a dimension of which the fleet has none counts as 0 [U2]. */
function isLarger(a: number, ofA: number, b: number, ofB: number): boolean {
  if (a === 0 || ofA === 0) return false;
  return b === 0 || ofB === 0 || compareProducts(a, ofB, b, ofA) > 0;
}

/** Below 0 if `a` is smaller. Borrowing nothing is the smallest share; borrowing at weight 0 is above any other. */
export function compareShares(a: Share, b: Share): number {
  if (a.borrowed === 0 || b.borrowed === 0) return a.borrowed - b.borrowed;
  if (a.of === 0 || b.of === 0) {
    if (a.of !== 0 || b.of !== 0) return a.of === 0 ? 1 : -1;
    return compareProducts(a.borrowed, b.fleet, b.borrowed, a.fleet);
  }
  return compareProducts(a.borrowed, b.of, b.borrowed, a.of);
}

/** The sign of a·b − c·d, exactly. */
function compareProducts(a: number, b: number, c: number, d: number): number {
  const left = a * b;
  const right = c * d;
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER)
    return left < right ? -1 : left > right ? 1 : 0;
  const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
  return exact < 0n ? -1 : exact > 0n ? 1 : 0;
}
