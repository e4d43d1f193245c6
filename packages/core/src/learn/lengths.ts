import type { AccountNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { type Instant, minute, unitsPerGpu } from "../model/units.ts";
import type { AccountTree } from "../quota/accounts.ts";
import { queueOrderOf } from "../quota/accounts.ts";

/**
 * Histogram of the run times of an account's succeeded jobs: counts by gang size and by bin of run time [O3]. Kept where
 * the order of an account may evict. Counts are halved from time to time, so that old jobs fade.
 */
export type Lengths = readonly number[][];

/** The part of State that holds them. */
export interface WithLengths extends AccountTree {
  readonly lengths: Map<AccountNo, Lengths>;
}

/** The upper bounds, in GPUs, of the classes of gangs; larger gangs are one more class. */
const gangSizes = [1, 4, 8] as const;
/** The number of bins: the first ends at a minute, and each further one at √2 times the end of the one before. */
export const lengthBins = 40;
/** Counts of a class are halved at this many jobs. */
const fadesAt = 4_096;

/** The end of each bin. */
export const lengthEnds: readonly Instant[] = Array.from({ length: lengthBins }, (_, bin) =>
  Math.floor(minute * 2 ** Math.floor(bin / 2) * (bin % 2 === 0 ? 1 : Math.SQRT2)),
);

/** The bin of a run time. */
export function lengthBinOf(ms: number): number {
  let bin = 0;
  while (bin < lengthBins - 1 && ms >= lengthEnds[bin]!) bin++;
  return bin;
}

/** The GPUs of the minimum of members, rounded up; at least 1. */
export function gangGpus({ gpus, members }: JobSpec): number {
  const { count, unitsEach } = gpus[0]!;
  return Math.max(1, Math.ceil((count * unitsEach * members.min) / unitsPerGpu));
}

/** The class of gang sizes in which a job is counted. */
export function gangClass(spec: JobSpec): number {
  const gpus = gangGpus(spec);
  const found = gangSizes.findIndex((most) => gpus <= most);
  return found < 0 ? gangSizes.length : found;
}

export const gangClasses = gangSizes.length + 1;

export function noLengths(): Lengths {
  return Array.from({ length: gangClasses }, () => Array(lengthBins).fill(0));
}

/**
 * The run time of a job towards its end: of all attempts if it checkpoints, else of the present one. Work since the last
 * checkpoint counts too, although an eviction would lose it.
 */
export function attainedMs(job: Job, now: Instant): number {
  let ms = job.state === "waiting" || job.startedAt === 0 ? 0 : Math.max(0, now - job.startedAt);
  if (job.spec.checkpoint === undefined) return ms;
  ms += job.ranBeforeMs ?? 0;
  for (const { startedAt, endedAt } of job.attempts) if (startedAt > 0) ms += endedAt - startedAt;
  return ms;
}

/** Counts a job that has succeeded. */
export function noteLength(state: WithLengths, job: Job, at: Instant): void {
  if (job.startedAt === 0 || queueOrderOf(state, job.account) !== "index") return;
  const counts = lengthsOf(state, job.account)[gangClass(job.spec)]!;
  counts[lengthBinOf(attainedMs(job, at))]!++;
  let ended = 0;
  for (const count of counts) ended += count;
  if (ended >= fadesAt) for (const [bin, count] of counts.entries()) counts[bin] = Math.floor(count / 2);
}

function lengthsOf(state: WithLengths, account: AccountNo): Lengths {
  const known = state.lengths.get(account);
  if (known !== undefined) return known;
  const lengths = noLengths();
  state.lengths.set(account, lengths);
  return lengths;
}
