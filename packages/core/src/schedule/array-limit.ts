import type { Job } from "../model/job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** Whether the array of a job has as many elements running or about to start as its limit allows. */
export function isArrayFull(state: ReadonlyState, job: Job): boolean {
  const use = arrayUseOf(state, job);
  return use !== undefined && use.running >= use.limit;
}

/** How many elements of a job's array run or are about to start, and how many may; undefined = it is in no array. */
export function arrayUseOf(state: ReadonlyState, job: Job): { running: number; limit: number } | undefined {
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  if (array === undefined) return undefined;
  // An element for which room is being made will start without being tried again.
  let running = array.active;
  for (const claimant of state.claimants) if (claimant.array === array.no && claimant.state === "waiting") running++;
  return { running, limit: job.spec.array?.atOnceMax ?? array.size };
}
