import type { Account } from "../model/account.ts";
import type { State } from "../state/state.ts";
import type { Held } from "../state/usage.ts";
import { type Borrowed, borrowedOf, type Demand } from "./quota.ts";

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
export function shareOf(state: State, account: Account, held: Held, add?: Demand, past = 0): Share {
  const borrowed = borrowedOf(state, account, held, add);
  const { weight } = account.terms.quota;
  return largest(state, past === 0 ? borrowed : { ...borrowed, units: borrowed.units + past }, weight);
}

/** The share of a job that is a side of its own: nothing is guaranteed to it. */
export function shareOfJob(state: State, demand: Demand): Share {
  return largest(state, demand, 1);
}

function largest(state: State, borrowed: Borrowed, weight: number): Share {
  const { gpuUnits, cpusMilli, memoryMiB } = state.fleet.totals;
  const share = larger(noShare, Math.max(borrowed.units, borrowed.memoryUnits), gpuUnits, weight);
  return larger(larger(share, borrowed.cpusMilli, cpusMilli, weight), borrowed.memoryMiB, memoryMiB, weight);
}

/** That of two shares, one of them given as what it is made of. */
function larger(share: Share, borrowed: number, fleet: number, weight: number): Share {
  if (borrowed === 0 || fleet === 0) return share;
  const other = { borrowed, of: fleet * weight, fleet };
  return compareShares(other, share) > 0 ? other : share;
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
  const [left, right] = [a * b, c * d];
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) return left - right;
  const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
  return exact < 0n ? -1 : exact > 0n ? 1 : 0;
}
