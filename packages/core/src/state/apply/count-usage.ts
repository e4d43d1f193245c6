import { noteHistory } from "../../learn/history.ts";
import type { Account } from "../../model/account.ts";
import { noAccount, type UserId } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import { pathUp } from "../../quota/accounts.ts";
import { type AccountUsage, addTo, type Holding, type UserCount } from "../../quota/held.ts";
import type { State } from "../state.ts";
import { unmadeCount } from "../unmade.ts";

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

/** Counts waiting jobs of one user in, or out (below 0): for its tenant, and in each account that limits users. */
export function countWaiting(state: State, job: Pick<Job, "account" | "user">, jobs: number): void {
  state.load.wait(state.accounts[job.account]!.tenant, job.user, jobs);
  for (const account of pathUp(state, job.account)) {
    if (limitsUsers(account)) count(state.usage[account.no]!, job.user).waiting += jobs;
  }
}

/** Counts the users of an account from scratch; to be called when its limits have changed. */
export function recountUsers(state: State, account: Account): void {
  const usage = state.usage[account.no]!;
  usage.users.clear();
  if (!limitsUsers(account)) return;
  for (const job of state.jobs.values()) {
    if (!pathUp(state, job.account).includes(account)) continue;
    const counts = count(usage, job.user);
    if (job.state === "waiting") counts.waiting++;
    for (const { gpus, unitsEach } of job.leases) counts.units += unitsEach * gpus.length;
    // The claim of a job that still runs elsewhere counts once it has left there.
    const kept = job.state === "waiting" ? job.claim : undefined;
    for (const { gpus, part } of kept?.seats ?? []) counts.units += (part?.compute ?? kept!.unitsEach) * gpus.length;
  }
  for (const array of state.arrays.values())
    if (array.later !== undefined && pathUp(state, array.account).includes(account))
      count(usage, array.user).waiting += unmadeCount(array);
}

/** Forgets users who neither wait for nor hold anything. */
export function forgetIdleUser(state: State, job: Job): void {
  for (const account of pathUp(state, job.account)) {
    if (!limitsUsers(account)) continue;
    const { users } = state.usage[account.no]!;
    const left = users.get(job.user);
    if (left !== undefined && left.waiting === 0 && left.units === 0) users.delete(job.user);
  }
}

/** Counts a holding in (`sign` 1) or out (-1) on the job's account and everything above. */
export function countHolding(state: State, job: Job, holding: Holding, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    const usage = state.usage[at]!;
    if (state.history.size > 0) noteHistory(state, at);
    addTo(usage, state.fleet, holding, sign);
    if (usage.units < 0 || usage.cpusMilli < 0 || usage.memoryMiB < 0)
      throw new Error(`account ${at} gives back more than it holds`);
    state.burst.weigh(at);
    state.waiting.heldChanged(at);
    if (limitsUsers(state.accounts[at]!))
      count(usage, job.user).units += sign * holding.unitsEach * holding.gpus.length;
  }
}

/** Counts a lease that is stopping for good in or out of the leaving usage of its accounts. */
export function countLeaving(state: State, job: Job, lease: Lease, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) {
    addTo(state.usage[at]!.leaving, state.fleet, lease, sign);
    state.burst.weigh(at);
    state.waiting.heldChanged(at);
  }
}

/** Counts a lease in or out of the covered usage of `job.cover` and everything above; a burst job has none. */
export function countCovered(state: State, job: Job, lease: Lease, sign: 1 | -1): void {
  if (job.cover !== noAccount) state.fleet.nodeCoveredGpus[lease.node]! += sign * lease.gpus.length;
  for (let at = job.cover; at !== noAccount; at = state.accounts[at]!.parent) {
    const { covered } = state.usage[at]!;
    addTo(covered, state.fleet, lease, sign);
    if (covered.units < 0) throw new Error(`account ${at} covers less than nothing`);
  }
}

/** Counts a burst job in or out on its account and everything above. */
export function countBurst(state: State, job: Job, sign: 1 | -1): void {
  for (let at = job.account; at !== noAccount; at = state.accounts[at]!.parent) state.usage[at]!.burst += sign;
}
