import type { JobId, JobNo } from "../model/ids.ts";
import { elementAt, type Job, type JobArray } from "../model/job.ts";
import { newJob } from "./apply/new-job.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** How many elements of an array are not made yet. */
export function unmadeCount({ size, later }: JobArray): number {
  return later === undefined ? 0 : size - later.next - later.ahead.length;
}

/** Their places in the array, ascending. */
export function* unmadePlaces({ size, later }: JobArray): Generator<number> {
  if (later === undefined) return;
  let skipped = 0;
  for (let place = later.next; place < size; place++) {
    if (later.ahead[skipped] === place) skipped++;
    else yield place;
  }
}

/** An element that is not made, as the job that it will be: it waits. */
export function unmadeElement(state: ReadonlyState, array: JobArray, place: number): Job {
  const { no, id, spec, account, user, submittedAt, later } = array;
  const index = elementAt(spec.array!, place);
  const submission = { spec, account, user, at: submittedAt };
  const number = (no + 1 + place) as JobNo;
  const job = newJob(submission, liveBefore(state, array).length, number, `${id}.${index}` as JobId, no, index, later);
  job.held = later!.held;
  return job;
}

/** All elements of an array that are not made. */
export function* unmadeElements(state: ReadonlyState, array: JobArray): Generator<Job> {
  for (const place of unmadePlaces(array)) yield unmadeElement(state, array, place);
}

/** The element with this id, if it is not made. */
export function unmadeById(state: ReadonlyState, id: JobId): Job | undefined {
  const dot = id.lastIndexOf(".");
  const array = dot < 0 ? undefined : state.arrayById.get(id.slice(0, dot) as JobId);
  if (array?.later === undefined) return undefined;
  const place = placeOf(array, Number(id.slice(dot + 1)));
  return place !== undefined && isUnmade(array, place) ? unmadeElement(state, array, place) : undefined;
}

/** The element with this number, if it is not made. */
export function unmadeByNo(state: ReadonlyState, array: JobArray, no: JobNo): Job | undefined {
  const place = no - array.no - 1;
  return isUnmade(array, place) ? unmadeElement(state, array, place) : undefined;
}

function isUnmade({ size, later }: JobArray, place: number): boolean {
  return later !== undefined && place >= later.next && place < size && !later.ahead.includes(place);
}

function placeOf({ size, spec }: JobArray, index: number): number | undefined {
  const { first, step, indexes } = spec.array!;
  const place = indexes === undefined ? (index - first) / step : indexes.indexOf(index);
  return Number.isInteger(place) && place >= 0 && place < size ? place : undefined;
}

/** The live jobs and arrays that the elements of an array run after. */
export function liveBefore(state: ReadonlyState, { spec }: Pick<JobArray, "spec">): readonly JobNo[] {
  if (spec.after.length === 0) return none;
  return spec.after.flatMap(({ job }) => numberOf(state, job) ?? []);
}

const none: readonly JobNo[] = [];

/** The number of a live job, of an array, or of an element that is not made. */
export function numberOf(state: ReadonlyState, id: JobId): JobNo | undefined {
  return (state.jobById.get(id) ?? state.arrayById.get(id) ?? unmadeById(state, id))?.no;
}
