import type { Account } from "../model/account.ts";
import { type AccountNo, noAccount, type UserId } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { noteHistory } from "../learn/history.ts";
import { pathUp, type State } from "../state/state.ts";

/** An amount of everything that can be held. */
export interface Held {
  units: number;
  /** By model number. */
  readonly byModel: number[];
  /** GPU memory, the second dimension of a GPU. */
  memoryUnits: number;
  /** By model number, how much more of that than of compute: only parts hold the one without the other. */
  readonly moreMemory: number[];
  cpusMilli: number;
  memoryMiB: number;
}

/** What an account's subtree holds right now: held for a claimant, starting, running, stopping, not confirmed dead. */
export interface AccountUsage extends Held {
  /** The part of it that has been told to stop. */
  readonly leaving: Held;
  /** The part of it that a guarantee of this account or of one below covers. */
  readonly covered: Held;
  /** Jobs below that no guarantee covers. */
  burst: number;
  /** Those who wait or hold anything; counted only where users have limits. */
  readonly users: Map<UserId, UserCount>;
}

/** What one user has in one account's subtree, for limits per user. */
export interface UserCount {
  waiting: number;
  units: number;
}

export function nothingUsed(): AccountUsage {
  return { ...nothingHeld(), leaving: nothingHeld(), covered: nothingHeld(), burst: 0, users: new Map() };
}

export function nothingHeld(): Held {
  return { units: 0, byModel: [], memoryUnits: 0, moreMemory: [], cpusMilli: 0, memoryMiB: 0 };
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

function limitsUsers({ terms }: Account): boolean {
  const { gpusPerUserMax, waitingJobsPerUserMax } = terms.limits;
  return gpusPerUserMax !== undefined || waitingJobsPerUserMax !== undefined;
}

/** Counts a job in (`sign` 1) or out (-1) among those that wait, wherever on its path users have limits. */
export function countWaiting(state: State, job: Job, sign: 1 | -1): void {
  for (const account of pathUp(state, job.account)) {
    if (limitsUsers(account)) count(state.usage[account.no]!, job.user).waiting += sign;
  }
}

/** Counts the users of an account anew; to be called when its limits have changed. */
export function recountUsers(state: State, account: Account): void {
  const usage = state.usage[account.no]!;
  usage.users.clear();
  if (!limitsUsers(account)) return;
  for (const job of state.jobs.values()) {
    if (!pathUp(state, job.account).includes(account)) continue;
    const counts = count(usage, job.user);
    if (job.state === "waiting") counts.waiting++;
    for (const { gpus, unitsEach } of job.leases) counts.units += unitsEach * gpus.length;
    // What is kept for a job that still runs elsewhere counts only once it has left there.
    const kept = job.state === "waiting" ? job.claim : undefined;
    for (const { gpus, part } of kept?.seats ?? []) counts.units += (part?.compute ?? kept!.unitsEach) * gpus.length;
  }
}

/** Keeps nothing about a user who has nothing left. */
export function forgetIdleUser(state: State, job: Job): void {
  for (const account of pathUp(state, job.account)) {
    if (!limitsUsers(account)) continue;
    const { users } = state.usage[account.no]!;
    const left = users.get(job.user);
    if (left !== undefined && left.waiting === 0 && left.units === 0) users.delete(job.user);
  }
}

/** What one member holds, or would. */
type Holding = Pick<Lease, "gpus" | "unitsEach" | "part" | "cpusMilli" | "memoryMiB">;

/** Adds a holding to an amount (`sign` 1) or takes it out (-1). */
export function addTo(held: Held, fleet: Fleet, holding: Holding, sign: 1 | -1): void {
  const { gpus, unitsEach, part, cpusMilli, memoryMiB } = holding;
  held.units += sign * unitsEach * gpus.length;
  held.memoryUnits += sign * (part?.memory ?? unitsEach) * gpus.length;
  held.cpusMilli += sign * cpusMilli;
  held.memoryMiB += sign * memoryMiB;
  for (const gpu of gpus) {
    const model = fleet.gpuModel[gpu] as number;
    while (held.byModel.length <= model) held.byModel.push(0);
    held.byModel[model]! += sign * unitsEach;
    if (part !== undefined && part.memory !== unitsEach)
      addAt(held.moreMemory, model, sign * (part.memory - unitsEach));
  }
}

/** Adds compute and memory of GPUs of one model to an amount. */
export function addGpus(held: Held, model: number, units: number, memoryUnits: number): void {
  held.units += units;
  held.memoryUnits += memoryUnits;
  addAt(held.byModel, model, units);
  if (memoryUnits !== units) addAt(held.moreMemory, model, memoryUnits - units);
}

/** Adds all GPUs of an amount to another, or takes them out. */
export function addGpusOf(held: Held, other: Held, sign: 1 | -1): void {
  for (const [model, units] of other.byModel.entries())
    addGpus(held, model, sign * units, sign * (units + (other.moreMemory[model] ?? 0)));
}

function addAt(amounts: number[], at: number, more: number): void {
  while (amounts.length <= at) amounts.push(0);
  amounts[at]! += more;
}

/** Counts a holding in or out on the job's account and everything above. */
export function countHolding(state: State, job: Job, holding: Holding, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    const usage = state.usage[at]!;
    if (state.history.size > 0) noteHistory(state, at);
    addTo(usage, state.fleet, holding, sign);
    state.burst.weigh(at);
    state.waiting.heldChanged(at);
    if (limitsUsers(state.accounts[at]!))
      count(usage, job.user).units += sign * holding.unitsEach * holding.gpus.length;
  }
}

/** Counts a lease that was told to stop for good in or out of what is leaving its accounts. */
export function countLeaving(state: State, job: Job, lease: Lease, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    addTo(state.usage[at]!.leaving, state.fleet, lease, sign);
    state.burst.weigh(at);
    state.waiting.heldChanged(at);
  }
}

/** Counts a lease in or out of what the guarantee of `job.cover` holds; nothing for a burst job. */
export function countCovered(state: State, job: Job, lease: Lease, sign: 1 | -1): void {
  if (job.cover !== noAccount) state.fleet.nodeCoveredGpus[lease.node]! += sign * lease.gpus.length;
  for (let at = job.cover; at !== noAccount; at = state.accounts[at]!.parent) {
    addTo(state.usage[at]!.covered, state.fleet, lease, sign);
  }
}

/** Counts a burst job in or out on its account and everything above. */
export function countBurst(state: State, job: Job, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) state.usage[at]!.burst += sign;
}

/** What an account's subtree holds and has not been told to leave. */
export function stayingOf(state: State, account: AccountNo): Held {
  const usage = state.usage[account]!;
  const { leaving } = usage;
  if (leaving.units === 0 && leaving.cpusMilli === 0 && leaving.memoryMiB === 0) return usage;
  return minus(usage, leaving);
}

export function minus(a: Held, b: Held): Held {
  return {
    units: a.units - b.units,
    byModel: eachMinus(a.byModel, b.byModel),
    memoryUnits: a.memoryUnits - b.memoryUnits,
    moreMemory: eachMinus(a.moreMemory, b.moreMemory),
    cpusMilli: a.cpusMilli - b.cpusMilli,
    memoryMiB: a.memoryMiB - b.memoryMiB,
  };
}

function eachMinus(a: readonly number[], b: readonly number[]): number[] {
  const difference: number[] = [];
  for (let model = 0; model < a.length || model < b.length; model++) difference.push((a[model] ?? 0) - (b[model] ?? 0));
  return difference;
}

export function plus(a: Held, b: Held): Held {
  return minus(a, minus(nothingHeld(), b));
}
