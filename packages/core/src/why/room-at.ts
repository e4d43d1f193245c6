import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { stopOrderOf } from "../run/stop.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** When the stopping jobs on the claimed seats of a job are gone at the latest. */
export function roomAt(state: ReadonlyState, job: Job, now: Instant): Instant {
  let at = now;
  for (const { node, gpus } of job.claim?.seats ?? []) {
    for (const lease of state.fleet.leasesOn(node)) {
      if (lease.state !== "stopping" || !lease.gpus.some((gpu) => gpus.includes(gpu))) continue;
      const leaving = state.jobs.get(lease.job);
      if (leaving !== undefined) at = Math.max(at, lease.since + stopOrderOf(leaving, "preempt", state.policy).graceMs);
    }
  }
  return at;
}
