import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { stopOrderOf } from "../run/stop.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** When the stopping jobs on the claimed seats of a job are gone at the latest. */
export function roomAt(state: ReadonlyState, job: Job, now: Instant): Instant {
  const wanted = new Set<number>(job.claim?.seats.flatMap((seat) => seat.gpus) ?? []);
  let at = now;
  for (const lease of state.leases.values()) {
    if (lease.state !== "stopping" || !lease.gpus.some((gpu) => wanted.has(gpu))) continue;
    const leaving = state.jobs.get(lease.job);
    if (leaving !== undefined) at = Math.max(at, lease.since + stopOrderOf(leaving, "preempt", state.policy).graceMs);
  }
  return at;
}
