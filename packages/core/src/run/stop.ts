import type { Event } from "../journal/event.ts";
import type { Job, JobSpec, StopCause } from "../model/job.ts";
import { graceMaxOf, type Policy } from "../model/policy.ts";
import type { Instant } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A stronger cause replaces a weaker one: after a cancel no other cause may bring the job back (S22). */
const strength: Readonly<Record<StopCause, number>> = {
  shrink: 0,
  "member-failed": 1,
  preempt: 2,
  move: 2,
  drain: 2,
  budget: 2,
  "node-lost": 2,
  "time-limit": 3,
  spent: 3,
  deadline: 4,
  cancel: 5,
};

/** The stronger of a new cause and the one for which the job is stopping already, if any. */
export function strongerCause(job: Job, cause: StopCause): StopCause {
  return job.stopCause !== undefined && strength[job.stopCause] >= strength[cause] ? job.stopCause : cause;
}

/** Stops every member that holds a seat: the one path for cancel, limits, eviction and drain. */
export function stopJob(
  state: ReadonlyState,
  job: Job,
  cause: StopCause,
  now: Instant,
  except?: string,
  why?: string,
): Event[] {
  if (job.stopCause !== undefined && strength[job.stopCause] >= strength[cause]) return [];
  const { signal, graceMs } = stopOrderOf(job.spec, cause, state.policy);
  return job.leases
    .filter((lease) => lease.id !== except)
    .map((lease) => ({
      kind: "lease-stopping",
      v: 1,
      at: now,
      lease: lease.id,
      sequence: 0,
      cause,
      signal,
      graceMs,
      why,
    }));
}

/** Whether the job waits again after the stop. A checkpoint is worth its own signal and grace only then. */
const returns: Readonly<Record<StopCause, boolean>> = {
  shrink: true,
  preempt: true,
  move: true,
  drain: true,
  budget: true,
  "node-lost": true,
  "member-failed": false,
  "time-limit": false,
  spent: false,
  deadline: false,
  cancel: false,
};

/** The signal and grace with which members of a job are stopped. No grace is longer than the owner allows. */
export function stopOrderOf(
  { checkpoint }: Pick<JobSpec, "checkpoint">,
  cause: StopCause,
  policy: Policy,
): { signal: string; graceMs: number } {
  const { signal, graceMs } =
    checkpoint !== undefined && returns[cause] ? checkpoint : { signal: "SIGTERM", graceMs: policy.graceMs };
  return { signal, graceMs: Math.min(graceMs, graceMaxOf(policy)) };
}
