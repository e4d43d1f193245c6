import type { Event } from "../journal/event.ts";
import type { Job, StopCause } from "../model/job.ts";
import { killNow } from "../model/kill-now.ts";
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
  unhealthy: 2,
  "neighbour-fault": 2,
  suspend: 3,
  requeue: 3,
  "time-limit": 4,
  spent: 4,
  idle: 4,
  deadline: 5,
  cancel: 6,
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
  const { signal, graceMs } = stopOrderOf(job, cause, state.policy);
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

/** Kills every member at once, whether or not the job is stopping already. */
export function killJob({ leases, forced }: Job, now: Instant): Event[] {
  if (forced) return [];
  return leases.map(({ id }) => ({
    kind: "lease-stopping",
    v: 1,
    at: now,
    lease: id,
    sequence: 0,
    cause: "cancel",
    ...killNow,
  }));
}

/** Whether a job that stops for this cause starts again, unless it is done; an extra member leaves nothing either way. */
export function comesBack({ spec, failures }: Pick<Job, "spec" | "failures">, cause: StopCause): boolean {
  const { max, when } = spec.retry;
  switch (cause) {
    case "shrink":
    case "move":
    case "suspend":
    case "requeue":
      return true;
    case "preempt":
    case "drain":
    case "budget":
      return when.includes("preempted");
    case "node-lost":
    case "unhealthy":
    case "neighbour-fault":
      return when.includes("node_lost");
    case "member-failed":
      return when.includes("failed") && failures < max;
    default:
      return false;
  }
}

/**
 * The signal and grace with which members of a job are stopped [L2]. A checkpoint is worth its own only where the job
 * comes back, and no grace is longer than the owner allows.
 */
export function stopOrderOf(
  job: Pick<Job, "spec" | "failures" | "forced">,
  cause: StopCause,
  policy: Policy,
): { signal: string; graceMs: number } {
  if (job.forced) return killNow;
  const { checkpoint } = job.spec;
  const { signal, graceMs } =
    checkpoint !== undefined && comesBack(job, cause) ? checkpoint : { signal: "SIGTERM", graceMs: policy.graceMs };
  return { signal, graceMs: Math.min(graceMs, graceMaxOf(policy)) };
}
