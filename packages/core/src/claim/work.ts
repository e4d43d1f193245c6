import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";

/** Time of one GPU that would be lost: since the last checkpoint, else since the start; nothing before it runs. */
export function lostMs(job: Job, now: Instant): number {
  if (job.startedAt === 0) return 0;
  const ran = Math.max(0, now - job.startedAt);
  const every = job.spec.checkpoint?.everyMs;
  return every === undefined || every === 0 ? ran : ran % every;
}

export function gpusOf(job: Job): number {
  let gpus = 0;
  for (const lease of job.leases) gpus += lease.gpus.length;
  return gpus;
}

/** Work lost if the whole job leaves, in GPU milliseconds. */
export function lostWork(job: Job, now: Instant): number {
  return lostMs(job, now) * gpusOf(job);
}

/** Who of one account leaves first [T5]: lowest priority, least work lost per GPU, youngest, then by number. */
export function leavesFirst(a: Job, b: Job, now: Instant): number {
  if (a.spec.priority !== b.spec.priority) return a.spec.priority - b.spec.priority;
  const lost = lostMs(a, now) - lostMs(b, now);
  if (lost !== 0) return lost;
  return b.no - a.no;
}
