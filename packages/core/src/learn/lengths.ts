import type { AccountNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { type Instant, minute, unitsPerGpu } from "../model/units.ts";
import type { AccountTree } from "../quota/accounts.ts";
import { queueOrderOf } from "../quota/accounts.ts";

/**
 * How many jobs of an account came to their end after how long, counted by the size of the gang and the place of the
 * length on a scale. Kept where the order of an account may evict. Counts are halved now and then, so that what was long
 * ago fades.
 */
export type Lengths = readonly number[][];

/** The part of State in which they are kept. */
export interface WithLengths extends AccountTree {
  readonly lengths: Map<AccountNo, Lengths>;
}

/** Gangs of up to so many GPUs are counted together; what is larger is counted in one more class. */
const gangSizes = [1, 4, 8] as const;
/** Places of the scale: the first is a minute, and each ends where √2 times as much has passed. */
export const lengthPlaces = 40;
/** So many jobs of a class are remembered at full weight. */
const fadesAt = 4_096;

/** Where each place of the scale ends. */
export const lengthEnds: readonly Instant[] = Array.from({ length: lengthPlaces }, (_, place) =>
  Math.floor(minute * 2 ** Math.floor(place / 2) * (place % 2 === 0 ? 1 : Math.SQRT2)),
);

export function placeOfLength(ms: number): number {
  let place = 0;
  while (place < lengthPlaces - 1 && ms >= lengthEnds[place]!) place++;
  return place;
}

/** The GPUs that all members need at least, a part of one counted as one. */
export function gangGpus({ gpus, members }: JobSpec): number {
  const { count, unitsEach } = gpus[0]!;
  return Math.max(1, Math.ceil((count * unitsEach * members.min) / unitsPerGpu));
}

/** The class of gangs that a job is counted in. */
export function gangClass(spec: JobSpec): number {
  const gpus = gangGpus(spec);
  const found = gangSizes.findIndex((most) => gpus <= most);
  return found < 0 ? gangSizes.length : found;
}

export const gangClasses = gangSizes.length + 1;

export function noLengths(): Lengths {
  return Array.from({ length: gangClasses }, () => Array(lengthPlaces).fill(0));
}

/**
 * How long a job has run towards its end: in all attempts where it goes on from a checkpoint, else in this one. What it
 * did since its last checkpoint counts too, though it may have to do that again.
 */
export function attainedMs(job: Job, now: Instant): number {
  let ms = job.state === "waiting" || job.startedAt === 0 ? 0 : Math.max(0, now - job.startedAt);
  if (job.spec.checkpoint === undefined) return ms;
  ms += job.ranBeforeMs ?? 0;
  for (const { startedAt, endedAt } of job.attempts) if (startedAt > 0) ms += endedAt - startedAt;
  return ms;
}

/** A job has come to its good end. */
export function noteLength(state: WithLengths, job: Job, at: Instant): void {
  if (job.startedAt === 0 || queueOrderOf(state, job.account) !== "index") return;
  const counts = lengthsOf(state, job.account)[gangClass(job.spec)]!;
  counts[placeOfLength(attainedMs(job, at))]!++;
  let ended = 0;
  for (const count of counts) ended += count;
  if (ended >= fadesAt) for (const [place, count] of counts.entries()) counts[place] = Math.floor(count / 2);
}

function lengthsOf(state: WithLengths, account: AccountNo): Lengths {
  const known = state.lengths.get(account);
  if (known !== undefined) return known;
  const lengths = noLengths();
  state.lengths.set(account, lengths);
  return lengths;
}
