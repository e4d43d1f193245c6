import type { Job } from "../model/job.ts";
import type { State } from "../state/state.ts";

/** Whether as many elements of a job's array run, or are about to, as may at once. */
export function isArrayFull(state: State, job: Job): boolean {
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  if (array === undefined) return false;
  // An element for which room is being made will start without being tried again.
  let starting = array.active;
  for (const claimant of state.claimants) if (claimant.array === array.no && claimant.state === "waiting") starting++;
  return starting >= (job.spec.array?.atOnceMax ?? array.size);
}
