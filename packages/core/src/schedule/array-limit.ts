import type { Job } from "../model/job.ts";
import type { State } from "../state/state.ts";

/** Whether the array of a job has as many elements running or about to start as its limit allows. */
export function isArrayFull(state: State, job: Job): boolean {
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  if (array === undefined) return false;
  // An element for which room is being made will start without being tried again.
  let starting = array.active;
  for (const claimant of state.claimants) if (claimant.array === array.no && claimant.state === "waiting") starting++;
  return starting >= (job.spec.array?.atOnceMax ?? array.size);
}
