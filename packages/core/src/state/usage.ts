import { noAccount, type UserId } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { State } from "./state.ts";

/** What an account's subtree holds right now: starting, running, stopping and not yet confirmed dead. */
export interface AccountUsage {
  units: number;
  /** By model number. */
  readonly byModel: number[];
  cpusMilli: number;
  memoryMiB: number;
  /** Those who wait or hold anything. */
  readonly users: Map<UserId, UserCount>;
}

/** What one user has in one account's subtree, for limits per user. */
export interface UserCount {
  waiting: number;
  units: number;
}

export function nothingUsed(): AccountUsage {
  return { units: 0, byModel: [], cpusMilli: 0, memoryMiB: 0, users: new Map() };
}

const nothingCounted: Readonly<UserCount> = { waiting: 0, units: 0 };

export function userCount(usage: AccountUsage, user: UserId): Readonly<UserCount> {
  return usage.users.get(user) ?? nothingCounted;
}

function count(usage: AccountUsage, user: UserId): UserCount {
  let found = usage.users.get(user);
  if (found === undefined) {
    found = { waiting: 0, units: 0 };
    usage.users.set(user, found);
  }
  return found;
}

/** Counts a job in (`sign` 1) or out (-1) among those that wait, on its account and everything above. */
export function countWaiting(state: State, job: Job, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    count(state.usage[at]!, job.user).waiting += sign;
  }
}

/** Keeps nothing about a user who has nothing left. */
export function forgetIdleUser(state: State, job: Job): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    const { users } = state.usage[at]!;
    const left = users.get(job.user);
    if (left !== undefined && left.waiting === 0 && left.units === 0) users.delete(job.user);
  }
}

/** Counts a lease in (`sign` 1) or out (-1) on its account and everything above. */
export function countLease(state: State, job: Job, lease: Lease, sign: 1 | -1): void {
  const { fleet } = state;
  const units = sign * lease.unitsEach * lease.gpus.length;
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    const usage = state.usage[at]!;
    usage.units += units;
    count(usage, job.user).units += units;
    usage.cpusMilli += sign * lease.cpusMilli;
    usage.memoryMiB += sign * lease.memoryMiB;
    for (const gpu of lease.gpus) {
      const model = fleet.gpuModel[gpu] as number;
      while (usage.byModel.length <= model) usage.byModel.push(0);
      usage.byModel[model]! += sign * lease.unitsEach;
    }
  }
}
