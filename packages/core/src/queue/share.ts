import type { Account } from "../model/account.ts";
import type { State } from "../state/state.ts";
import { type Addition, borrowedUnits } from "./quota.ts";

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

const nothing: Share = { borrowed: 0, of: 1, fleet: 1 };

/** What a job would add to the accounts above it. */
export interface Demand extends Addition {
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** The share an account would have with `add` on top of what it holds. */
export function shareWith(state: State, account: Account, add: Demand): Share {
  const { weight, guaranteeCpusMilli, guaranteeMemoryMiB } = account.terms.quota;
  const usage = state.usage[account.no]!;
  const { gpuUnits, cpusMilli, memoryMiB } = state.fleet.totals;
  const gpus: Share = { borrowed: borrowedUnits(state, account, add), of: gpuUnits * weight, fleet: gpuUnits };
  const floor = guaranteedGpuUnits(account);
  // A floor that says nothing of cores or memory brings as much of them as the fleet has for each GPU.
  const floorOf = (set: number | undefined, total: number) =>
    set ?? (gpuUnits === 0 ? 0 : Math.floor((total / gpuUnits) * floor));
  const over = (used: number, set: number | undefined, total: number): Share => ({
    borrowed: Math.max(0, used - floorOf(set, total)),
    of: total * weight,
    fleet: total,
  });
  const cpus = over(usage.cpusMilli + add.cpusMilli, guaranteeCpusMilli, cpusMilli);
  const memory = over(usage.memoryMiB + add.memoryMiB, guaranteeMemoryMiB, memoryMiB);
  return largest(largest(gpus, cpus), memory);
}

function guaranteedGpuUnits(account: Account): number {
  let units = 0;
  for (const model in account.terms.quota.guarantee) units += account.terms.quota.guarantee[model]!;
  return units;
}

function largest(a: Share, b: Share): Share {
  return compareShares(a, b) >= 0 ? a : b;
}

/** Below 0 when `a` is the smaller. Nothing borrowed is the smallest; borrowing at weight 0 is larger than anything. */
export function compareShares(a: Share, b: Share): number {
  const [x, y] = [a.borrowed === 0 ? nothing : a, b.borrowed === 0 ? nothing : b];
  if (x.of === 0 || y.of === 0) {
    if (x.of !== 0 || y.of !== 0) return x.of === 0 ? 1 : -1;
    return compareProducts(x.borrowed, y.fleet, y.borrowed, x.fleet);
  }
  return compareProducts(x.borrowed, y.of, y.borrowed, x.of);
}

/** Sign of a·b − c·d, exactly. */
function compareProducts(a: number, b: number, c: number, d: number): number {
  const [left, right] = [a * b, c * d];
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) return left - right;
  const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
  return exact < 0n ? -1 : exact > 0n ? 1 : 0;
}
