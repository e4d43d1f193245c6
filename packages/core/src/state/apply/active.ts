import { noAccount } from "../../model/ids.ts";
import { type Job, shieldedUntil } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import type { State } from "../state.ts";
import { countBurst, countCovered } from "./count-usage.ts";

/** Enters a job in the indexes of jobs that hold leases, where it stays until its attempt is over. */
export function activate(state: State, job: Job): void {
  state.active.add(job.account, job);
  state.endings.note(job);
  noteMayLeave(state, job);
  countPriority(state, job, 1);
  countCover(state, job, 1);
  if (isElastic(job)) state.elastic.add(job);
  if (job.spec.checkpoint !== undefined) state.resumable.add(job);
  exposeAt(state, job, job.placedAt + state.policy.minRuntimeMs);
  exposeAt(state, job, shieldedUntil(job));
}

/** The attempt of a job is over. */
export function deactivate(state: State, job: Job): void {
  state.active.delete(job.account, job);
  state.endings.note(job);
  noteMayLeave(state, job);
  state.resumable.delete(job);
  state.elastic.delete(job);
  countPriority(state, job, -1);
  countCover(state, job, -1);
}

/** Whether a job can be a victim, or what it would lose, has changed. */
export function noteMayLeave(state: State, job: Job): void {
  state.burst.note(state, job);
  state.victimClasses.note(state, job);
}

/** Counts a job and its leases in (`sign` 1) or out (-1) under its class. */
export function countClass(state: State, job: Job, sign: 1 | -1): void {
  countCover(state, job, sign);
  for (const lease of job.leases) if (!lease.extra) countCovered(state, job, lease, sign);
}

/** Enters a job under the account that covers it, or removes it; burst jobs are only counted. */
function countCover(state: State, job: Job, sign: 1 | -1): void {
  if (job.cover === noAccount) {
    countBurst(state, job, sign);
    return;
  }
  if (sign > 0) state.coveredBy.add(job.cover, job);
  else state.coveredBy.delete(job.cover, job);
}

function countPriority(state: State, { account, spec }: Job, sign: 1 | -1): void {
  while (state.priorities.length <= account) state.priorities.push(undefined);
  state.priorities[account] ??= new Map();
  const counts = state.priorities[account];
  const count = (counts.get(spec.priority) ?? 0) + sign;
  if (count > 0) counts.set(spec.priority, count);
  else counts.delete(spec.priority);
}

/** Wakes the scheduler when the job becomes takeable: a waiting job may claim its seats from then on. */
function exposeAt(state: State, { no }: Job, at: Instant): void {
  if (at > state.clock) state.timers.add({ at, kind: "exposed", subject: no });
}

function isElastic({ spec }: Job): boolean {
  return spec.members.max > spec.members.min && spec.preemptible;
}
