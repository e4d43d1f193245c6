import type { AccountNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { hour, type Instant, minute, second } from "../model/units.ts";
import type { AccountTree } from "../quota/accounts.ts";
import { queueOrderOf } from "../quota/accounts.ts";

/**
 * What the jobs of an account that are over tell about those to come. Kept where an account orders its jobs by the time
 * they need. Counts are halved now and then, so that what was long ago fades.
 */
export interface Pace {
  /** Jobs that were submitted and said how long they need, and how long in all. */
  declared: number;
  declaredS: number;
  /** Jobs that ran to their good end, and how long in all. */
  ended: number;
  ranS: number;
  /** Of those that had said how long they need: what they ran, what they had said. */
  keptS: number;
  saidS: number;
  /** How many of these ran so many times what they had said, in quarters of a power of two from 1/16 on. */
  readonly ratios: number[];
  /** How many of all ran so many minutes, in quarters of a power of two from 1 on. */
  readonly spans: number[];
}

/** Places of a scale by quarters of a power of two; what is beyond counts at its ends. */
const ratiosKept = 32;
const spansKept = 64;
/** Where the scale of ratios begins. */
const leastRatio = 1 / 16;
/** So many jobs are remembered at full weight. */
const fadesAt = 4_096;

function noPace(): Pace {
  const [ratios, spans] = [Array(ratiosKept).fill(0), Array(spansKept).fill(0)];
  return { declared: 0, declaredS: 0, ended: 0, ranS: 0, keptS: 0, saidS: 0, ratios, spans };
}

/** The part of State in which paces are kept. */
export interface WithPace extends AccountTree {
  readonly pace: Map<AccountNo, Pace>;
}

function paceOf(state: WithPace, account: AccountNo): Pace | undefined {
  const known = state.pace.get(account);
  if (known !== undefined || queueOrderOf(state, account) !== "aged-shortest") return known;
  const pace = noPace();
  state.pace.set(account, pace);
  return pace;
}

/** A job was submitted. */
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

/** A job has come to its good end. */
export function noteEnd(state: WithPace, { account, spec, startedAt }: Job, at: Instant): void {
  const pace = startedAt === 0 ? undefined : paceOf(state, account);
  if (pace === undefined) return;
  const ranS = secondsOf(at - startedAt);
  pace.ended++;
  pace.ranS += ranS;
  pace.spans[placeOn(ranS / 60, spansKept)]!++;
  const said = spec.expectedMs ?? spec.maxTimeMs;
  if (said !== undefined) {
    pace.keptS += ranS;
    pace.saidS += secondsOf(said);
    if (spec.expectedMs !== undefined) pace.ratios[placeOn(ranS / secondsOf(said) / leastRatio, ratiosKept)]!++;
  }
  if (pace.ended < fadesAt) return;
  pace.ended = half(pace.ended);
  pace.ranS = half(pace.ranS);
  pace.keptS = half(pace.keptS);
  pace.saidS = half(pace.saidS);
  for (const scale of [pace.ratios, pace.spans]) for (const [i, count] of scale.entries()) scale[i] = half(count);
}

/** Of an account about which nothing is known yet. */
const usualMsPlain = 6 * hour;
const usualMsMin = 5_000 * second;

/** How long the jobs of an account run on average, by what was declared where that is known. */
export function usualRunMs(state: WithPace, account: AccountNo): number {
  const pace = state.pace.get(account);
  if (pace === undefined || pace.ended === 0) return usualMsPlain;
  // Those that are over already are the short ones; what was declared tells of the others too.
  const meanS =
    pace.declared === 0 || pace.saidS === 0 ? pace.ranS / pace.ended : (pace.declaredS / pace.declared) * worthOf(pace);
  return Math.max(usualMsMin, Math.floor(meanS * second));
}

/** What part of the time that jobs of an account say they need they do need. */
export function guessWorth(state: WithPace, account: AccountNo): number {
  const pace = state.pace.get(account);
  return pace === undefined ? 1 : worthOf(pace);
}

function worthOf({ keptS, saidS }: Pace): number {
  return saidS === 0 ? 1 : keptS / saidS;
}

/** Fewer ends than this tell nothing. */
const endsToTell = 10;

/**
 * How long a job will have run in all once it is over, so that four of five like it are: its guess times what guesses of
 * the account were worth, or without one how long jobs of the account ran, of those that ran as long as it has already.
 * Undefined where nothing tells.
 */
export function likelyRunMs(state: WithPace, { account, spec }: Job, ranMs: number): number | undefined {
  const { expectedMs, maxTimeMs } = spec;
  const pace = state.pace.get(account);
  if (pace === undefined || (expectedMs === undefined && maxTimeMs !== undefined)) return undefined;
  // Longer than nearly everybody before: it is taken to need half as long again.
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

/** What four of five of those on a scale that are beyond `from` do not exceed; undefined where too few are. */
function mostOf(scale: readonly number[], from: number): number | undefined {
  const first = placeOn(from, scale.length);
  let left = 0;
  for (let place = first; place < scale.length; place++) left += scale[place]!;
  if (left < endsToTell) return undefined;
  let place = first;
  for (let over = scale[place]!; over * 5 < left * 4; over += scale[place]!) place++;
  return 2 ** Math.floor((place + 1) / 4) * quarters[(place + 1) % 4]!;
}

/** Powers of the fourth root of two, to millionths: the same on any machine. */
const quarters = [1, 1.189_207, Math.SQRT2, 1.681_793] as const;

/** The place of a value on a scale by quarters of a power of two from 1 on. */
function placeOn(value: number, places: number): number {
  let power = 0;
  let rest = value;
  for (; rest >= 2 && power * 4 < places; power++) rest /= 2;
  const quarter = quarters.findLastIndex((each) => rest >= each);
  return Math.min(Math.max(0, places - 1), power * 4 + Math.max(0, quarter));
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / second));
}

function half(value: number): number {
  return Math.floor(value / 2);
}
