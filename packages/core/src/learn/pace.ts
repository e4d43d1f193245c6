import type { AccountNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { hour, type Instant, minute, second } from "../model/units.ts";
import type { AccountTree } from "../quota/accounts.ts";
import { queueOrderOf } from "../quota/accounts.ts";

/**
 * Statistics of an account's ended jobs that predict the run times of later ones. Kept where the account's order is
 * `aged-shortest` [O3]. Counts are halved from time to time, so that old jobs fade.
 */
export interface Pace {
  /** Submitted jobs with a declared time, and the sum of the declared times. */
  declared: number;
  declaredS: number;
  /** Jobs that succeeded, and the sum of their run times. */
  ended: number;
  ranS: number;
  /** Of those with a declared time: the sums of the run times and of the declared times. */
  keptS: number;
  saidS: number;
  /** Histogram of run time ÷ expected time, in quarters of a power of two from 1/16 on. */
  readonly ratios: number[];
  /** Histogram of run times in minutes, in quarters of a power of two from 1 on. */
  readonly spans: number[];
}

/** The numbers of bins; values beyond the scale count in the first or last bin. */
const ratiosKept = 32;
const spansKept = 64;
/** The start of the scale of ratios. */
const leastRatio = 1 / 16;
/** Counts are halved at this many jobs. */
const fadesAt = 4_096;

function noPace(): Pace {
  const [ratios, spans] = [Array(ratiosKept).fill(0), Array(spansKept).fill(0)];
  return { declared: 0, declaredS: 0, ended: 0, ranS: 0, keptS: 0, saidS: 0, ratios, spans };
}

/** The part of State that holds paces. */
export interface WithPace extends AccountTree {
  readonly pace: Map<AccountNo, Pace>;
}

/** The same, to be read. */
interface Paces {
  readonly pace: ReadonlyMap<AccountNo, Pace>;
}

function paceOf(state: WithPace, account: AccountNo): Pace | undefined {
  const known = state.pace.get(account);
  if (known !== undefined || queueOrderOf(state, account) !== "aged-shortest") return known;
  const pace = noPace();
  state.pace.set(account, pace);
  return pace;
}

/** Counts the declared time of a submitted job. */
export function noteSubmission(state: WithPace, account: AccountNo, spec: JobSpec): void {
  const ms = spec.expectedMs ?? spec.maxTimeMs;
  const pace = ms === undefined ? undefined : paceOf(state, account);
  if (pace === undefined) return;
  pace.declared++;
  pace.declaredS += secondsOf(ms!);
  if (pace.declared < fadesAt) return;
  pace.declared = half(pace.declared);
  pace.declaredS = half(pace.declaredS);
}

/** Counts a job that has succeeded. */
export function noteEnd(state: WithPace, { account, spec, startedAt }: Job, at: Instant): void {
  const pace = startedAt === 0 ? undefined : paceOf(state, account);
  if (pace === undefined) return;
  const ranS = secondsOf(at - startedAt);
  pace.ended++;
  pace.ranS += ranS;
  pace.spans[binOf(ranS / 60, spansKept)]!++;
  const said = spec.expectedMs ?? spec.maxTimeMs;
  if (said !== undefined) {
    pace.keptS += ranS;
    pace.saidS += secondsOf(said);
    if (spec.expectedMs !== undefined) pace.ratios[binOf(ranS / secondsOf(said) / leastRatio, ratiosKept)]!++;
  }
  if (pace.ended < fadesAt) return;
  pace.ended = half(pace.ended);
  pace.ranS = half(pace.ranS);
  pace.keptS = half(pace.keptS);
  pace.saidS = half(pace.saidS);
  for (const scale of [pace.ratios, pace.spans]) for (const [i, count] of scale.entries()) scale[i] = half(count);
}

/** The usual run time of an account without ended jobs. */
const usualMsPlain = 6 * hour;
const usualMsMin = 5_000 * second;

/** The usual run time of an account [O3]: the mean declared time × the ratio really used, else the mean run time. */
export function usualRunMs(state: Paces, account: AccountNo): number {
  const pace = state.pace.get(account);
  if (pace === undefined || pace.ended === 0) return usualMsPlain;
  // Ended jobs are mostly the short ones; declared times cover the running ones too.
  const meanS =
    pace.declared === 0 || pace.saidS === 0 ? pace.ranS / pace.ended : (pace.declaredS / pace.declared) * worthOf(pace);
  return Math.max(usualMsMin, Math.floor(meanS * second));
}

/** The ratio of run time to declared time of an account's ended jobs. */
export function guessWorth(state: Paces, account: AccountNo): number {
  const pace = state.pace.get(account);
  return pace === undefined ? 1 : worthOf(pace);
}

function worthOf({ keptS, saidS }: Pace): number {
  return saidS === 0 ? 1 : keptS / saidS;
}

/** Fewer ended jobs than this predict nothing. */
const endsToTell = 10;

/**
 * The total run time within which four of five similar jobs end [B1]: the expected time × the ratio that the account's
 * jobs really used, or without one the run times of the account's jobs; only of jobs that ran at least as long as this
 * one has already. Undefined if there is too little data.
 */
export function likelyRunMs(state: Paces, { account, spec }: Job, ranMs: number): number | undefined {
  const { expectedMs, maxTimeMs } = spec;
  const pace = state.pace.get(account);
  if (pace === undefined || (expectedMs === undefined && maxTimeMs !== undefined)) return undefined;
  // It has run longer than nearly all jobs before: it is taken to need half as long again.
  const atLeast = Math.max(expectedMs ?? 0, Math.floor(ranMs * 1.5));
  const limit = maxTimeMs ?? Number.POSITIVE_INFINITY;
  if (expectedMs !== undefined) {
    const most = mostOf(pace.ratios, ranMs / expectedMs / leastRatio);
    return Math.min(limit, most === undefined ? atLeast : Math.max(ranMs, Math.floor(expectedMs * most * leastRatio)));
  }
  const most = mostOf(pace.spans, ranMs / minute);
  if (most !== undefined) return Math.max(ranMs, Math.floor(most * minute));
  return pace.ended < endsToTell ? undefined : atLeast;
}

/** The value that four of five entries of a histogram from `from` on do not exceed; undefined if there are too few. */
function mostOf(scale: readonly number[], from: number): number | undefined {
  const first = binOf(from, scale.length);
  let left = 0;
  for (let bin = first; bin < scale.length; bin++) left += scale[bin]!;
  if (left < endsToTell) return undefined;
  let bin = first;
  for (let over = scale[bin]!; over * 5 < left * 4; over += scale[bin]!) bin++;
  return 2 ** Math.floor((bin + 1) / 4) * quarters[(bin + 1) % 4]!;
}

/** Powers of the fourth root of two, to millionths: constants, so that they are the same on any machine. */
const quarters = [1, 1.189_207, Math.SQRT2, 1.681_793] as const;

/** The bin of a value, by quarters of a power of two from 1 on. */
function binOf(value: number, bins: number): number {
  let power = 0;
  let rest = value;
  for (; rest >= 2 && power * 4 < bins; power++) rest /= 2;
  const quarter = quarters.findLastIndex((each) => rest >= each);
  return Math.min(Math.max(0, bins - 1), power * 4 + Math.max(0, quarter));
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / second));
}

function half(value: number): number {
  return Math.floor(value / 2);
}
