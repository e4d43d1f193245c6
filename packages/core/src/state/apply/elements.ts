import type { ElementsMade, JobHeld } from "../../journal/event.ts";
import type { JobNo } from "../../model/ids.ts";
import type { Job, JobArray } from "../../model/job.ts";
import { accountOf } from "../../quota/accounts.ts";
import type { State } from "../state.ts";
import { liveBefore, unmadeCount, unmadeElement, unmadePlaces } from "../unmade.ts";
import { countWaiting } from "./count-usage.ts";
import { dependOn } from "./dependents.ts";
import { addJob } from "./enter.ts";
import { queueOrPark } from "./queued.ts";

/** Counts the elements that are not made as waiting; also how a snapshot is read back. */
export function countUnmade(state: State, array: JobArray): void {
  const count = unmadeCount(array);
  if (count === 0) return;
  countWaiting(state, array, count);
  accountOf(state, array.account).liveJobs += count;
}

/** Whether an element still waits for its first start, as a command to the whole array would have it. */
export function isFresh(state: State, job: Job): boolean {
  if (job.array === undefined || job.state !== "waiting" || job.attempt > 1) return false;
  const later = state.arrays.get(job.array)?.later;
  return later !== undefined && job.held === later.held;
}

/** An element was held or released by itself. */
export function freshMayDiffer(state: State, job: Job, wasFresh: boolean): void {
  const fresh = isFresh(state, job);
  if (wasFresh === fresh) return;
  if (wasFresh) noLongerFresh(state, job.array!);
  else state.arrays.get(job.array!)!.later!.fresh++;
}

/** An element that was fresh is no longer: the next ones are made in its place [O5]. */
export function noLongerFresh(state: State, no: JobNo): void {
  const array = state.arrays.get(no);
  if (array?.later === undefined) return;
  array.later.fresh--;
  refill(state, array);
}

/** Makes the next elements until as many as may be wait for their first start. */
export function refill(state: State, array: JobArray): void {
  const { later, size } = array;
  if (later === undefined) return;
  while (later.fresh < later.window && later.next < size) {
    const place = later.next++;
    if (later.ahead[0] === place) later.ahead = later.ahead.slice(1);
    else make(state, array, place);
  }
  if (later.next === size) array.later = undefined;
}

export function elementsMade(state: State, { array: no, element }: ElementsMade): void {
  const array = state.arrays.get(no);
  if (array?.later === undefined) throw new Error(`no elements of job ${no} are left to make`);
  if (element === undefined) {
    for (const place of [...unmadePlaces(array)]) make(state, array, place);
    array.later = undefined;
    return;
  }
  const place = element - no - 1;
  if (![...unmadePlaces(array)].includes(place)) throw new Error(`element ${element} is made twice`);
  make(state, array, place);
  array.later.ahead = [...array.later.ahead, place].sort((a, b) => a - b);
}

function make(state: State, array: JobArray, place: number): void {
  const job = unmadeElement(state, array, place);
  countWaiting(state, array, -1);
  accountOf(state, array.account).liveJobs--;
  addJob(state, job);
  array.later!.fresh++;
  for (const before of liveBefore(state, array)) dependOn(state, job.no, before, array.spec);
}

/** Holds or releases a long array: what waits of it, and what will be made. */
export function arrayHeld(state: State, array: JobArray, { held }: JobHeld): void {
  const { later } = array;
  if (later === undefined) throw new Error(`array ${array.id} is held as a whole, and all its elements are made`);
  later.held = held;
  later.fresh = 0;
  for (let no = array.no + 1; no <= array.no + array.size; no++) {
    const job = state.jobs.get(no as JobNo);
    if (job?.state !== "waiting") continue;
    job.held = held;
    queueOrPark(state, job);
    if (isFresh(state, job)) later.fresh++;
  }
  refill(state, array);
}
