import { gangGpus } from "../learn/lengths.ts";
import { usualRunMs } from "../learn/pace.ts";
import type { QueueOrder } from "../model/account.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { day, minute, second } from "../model/units.ts";
import { beforeAlike } from "../state/indexes/job-order.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { costToEnd } from "./cost-to-end.ts";
import { isOverdue } from "./overdue.ts";
import { tenthRoot } from "./roots.ts";

/** Order inside one account [O3]: higher priority, then the order that the account chose, then age. */
export function before(state: ReadonlyState, a: Job, b: Job, order: QueueOrder): boolean {
  if (order === "age" || order === "attained-service") return beforeAlike(a, b, order);
  if (a.spec.priority !== b.spec.priority) return a.spec.priority > b.spec.priority;
  if (order === "index") return isLess(costToEnd(state, a), costToEnd(state, b), a, b);
  const late = isOverdue(state, a);
  return late !== isOverdue(state, b) ? late : isLess(agedTime(state, a), agedTime(state, b), a, b);
}

function isLess(key: number, other: number, a: Job, b: Job): boolean {
  return key !== other ? key < other : a.no < b.no;
}

/** Assumed for a job that declares no run time: it goes behind jobs that declare one. */
const undeclaredMs = 7 * day;
/** Declaring less than this gains nothing, so that users have no reason to understate a short job. */
const shortestMs = 10 * minute;
/** Logarithms are fixed-point numbers in these parts of one. */
const logParts = 65_536;

/**
 * Weights of size and waiting, in hundredths. `gpus` multiplies log2 of the GPUs. `halvingRuns` is the wait, in mean run
 * times of the account, that counts at least as much as asking for half the time. All did best on real traces.
 */
const weights = {
  declared: { gpus: 45, halvingRuns: 310 },
  undeclared: { gpus: 100, halvingRuns: 555 },
} as const;

/** A job that found a short backlog ages faster: this part of the backlog, in hundredths, halves too; at least one run. */
const backlogPart = 55;

/**
 * log2 of the declared run time, plus a part of log2 of the GPUs, less the wait, which weighs a little less for more
 * GPUs. Every step is exact or correctly rounded, hence the same on any machine.
 */
function agedTime(state: ReadonlyState, { spec, submittedAt, account, backlogMs }: Job): number {
  const { size, root, halvingRuns } = measureOf(spec);
  const runMs = usualRunMs(state, account);
  const most = Math.floor((runMs * halvingRuns) / 100);
  const halvingMs =
    backlogMs === undefined ? most : Math.min(most, Math.max(runMs, Math.floor((backlogMs * backlogPart) / 100)));
  const waited = Math.max(0, state.clock - submittedAt) / halvingMs;
  return size - Math.floor((waited * logParts * 1_000) / root);
}

/** The part of a job's place that follows from its declared time and GPUs alone. */
interface Measure {
  readonly size: number;
  /** The tenth root of its GPUs, in thousandths. */
  readonly root: number;
  readonly halvingRuns: number;
}

const measures = new WeakMap<JobSpec, Measure>();

function measureOf(spec: JobSpec): Measure {
  const known = measures.get(spec);
  if (known !== undefined) return known;
  const said = spec.expectedMs ?? spec.maxTimeMs;
  const weight = said === undefined ? weights.undeclared : weights.declared;
  const ms = Math.max(shortestMs, said ?? undeclaredMs);
  const gpus = gangGpus(spec);
  const size = log2(Math.ceil(ms / second)) + Math.floor((log2(gpus) * weight.gpus) / 100);
  const measure = { size, root: tenthRoot(gpus), halvingRuns: weight.halvingRuns };
  measures.set(spec, measure);
  return measure;
}

/** log2 of a whole number in parts of one, rounded down; by squaring, since Math.log2 may differ between machines. */
function log2(value: number): number {
  let whole = 0;
  let rest = value;
  for (; rest >= 2; rest /= 2) whole++;
  let parts = 0;
  for (let bit = logParts / 2; bit >= 1; bit /= 2) {
    rest *= rest;
    if (rest < 2) continue;
    rest /= 2;
    parts += bit;
  }
  return whole * logParts + parts;
}
