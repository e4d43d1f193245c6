import {
  attainedMs,
  gangClass,
  gangClasses,
  gangGpus,
  type Lengths,
  lengthBinOf,
  lengthBins,
  lengthEnds,
  noLengths,
} from "../learn/lengths.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { type Instant, second } from "../model/units.ts";
import { queueOrderOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { tenthRoot } from "./roots.ts";

/**
 * The cost of bringing a job to its end; the least goes first [O3]. It is the remaining expected run time, or, without
 * one, the inverse of the job's Gittins index: the least, over all spans ahead, of the time that comparable jobs spent in
 * the span for each that ended in it. Times GPUs^0.8, which did best on real traces.
 */
export function costToEnd(state: ReadonlyState, job: Job): number {
  const ran = attainedMs(job, state.clock);
  const root = tenthRoot(gangGpus(job.spec)) / 1_000;
  const squared = root * root;
  const fourth = squared * squared;
  return leftMs(state, job, ran) * fourth * fourth;
}

function leftMs(state: ReadonlyState, { spec, account }: Job, ran: number): number {
  const { expectedMs } = spec;
  if (expectedMs === undefined) return outlooks(state, account)[gangClass(spec)]![lengthBinOf(ran)]!;
  // It has outrun its estimate: it is assumed to need half as long again.
  return expectedMs >= ran ? Math.max(second, expectedMs - ran) : ran / 2;
}

/** Time per ended job, by class of gangs and by how long a job has run. */
type Outlooks = readonly (readonly number[])[];

const known = new WeakMap<ReadonlyState, { readonly at: Instant; readonly of: Map<AccountNo, Outlooks> }>();

/** Worked out once for each instant: an order must not change during a pass. */
function outlooks(state: ReadonlyState, account: AccountNo): Outlooks {
  let kept = known.get(state);
  if (kept?.at !== state.clock) {
    kept = { at: state.clock, of: new Map() };
    known.set(state, kept);
  }
  let found = kept.of.get(account);
  if (found === undefined) {
    const alive = countAlive(state, account);
    const ended = state.lengths.get(account) ?? noLengths();
    found = ended.map((counts, gang) => outlookOf(counts, alive[gang]!));
    kept.of.set(account, found);
  }
  return found;
}

/** The run times so far of jobs that have not ended: they too have outlived the shorter lengths. */
function countAlive(state: ReadonlyState, account: AccountNo): Lengths {
  const alive: number[][] = Array.from({ length: gangClasses }, () => Array(lengthBins).fill(0));
  const count = (job: Job, jobs: number): void => {
    alive[gangClass(job.spec)]![lengthBinOf(attainedMs(job, state.clock))]! += jobs;
  };
  for (const job of state.active.of(account)) count(job, 1);
  // Jobs of one group have come equally far.
  for (const group of state.waiting.ofAccount(account)) count(group.jobs[0]!, group.jobs.length);
  return alive;
}

/** The chance to end in a span of which nothing is known; it counts like one observed job. */
const chancePlain = 0.3;

function outlookOf(ended: readonly number[], alive: readonly number[]): readonly number[] {
  const chances: number[] = Array(lengthBins).fill(0);
  let beyond = 0;
  for (let place = lengthBins - 1; place >= 0; place--) {
    chances[place] = (ended[place]! + chancePlain) / (ended[place]! + beyond + 1);
    beyond += ended[place]! + alive[place]!;
  }
  return chances.map((_, from) => leastTimePerEnd(chances, from));
}

function leastTimePerEnd(chances: readonly number[], from: number): number {
  let least = Number.POSITIVE_INFINITY;
  let left = 1;
  let time = 0;
  for (let place = from; place < lengthBins; place++) {
    const width = lengthEnds[place]! - (lengthEnds[place - 1] ?? 0);
    // A job that ends in a span ends in its middle, on average.
    time += left * width * (1 - chances[place]! / 2);
    left *= 1 - chances[place]!;
    least = Math.min(least, time / (1 - left));
  }
  return least;
}

/** A running job keeps its seats unless the other's cost is smaller by this factor; else the two would swap endlessly. */
const [lessBy, of] = [6, 5] as const;

/** Whether the order of an account may give the seats of one of its jobs to another of the same priority [O3]. */
export function mayReplaceByOrder(state: ReadonlyState, job: Job, running: Job): boolean {
  if (queueOrderOf(state, job.account) !== "index" || job.spec.priority !== running.spec.priority) return false;
  if (running.spec.checkpoint === undefined) return false; // all that it did would be lost
  return costToEnd(state, job) * lessBy < costToEnd(state, running) * of;
}
