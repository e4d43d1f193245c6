import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";

/** The run time that a job would lose if it stopped now: all since its start, or since its last checkpoint. */
export function lostMsOf(job: Job, now: Instant): number {
  if (job.startedAt === 0) return 0;
  const ran = Math.max(0, now - job.startedAt);
  const every = job.spec.checkpoint?.everyMs;
  return every === undefined || every === 0 ? ran : ran % every;
}
