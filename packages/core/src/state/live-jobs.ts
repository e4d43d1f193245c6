import type { AccountNo, JobNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { State } from "./state.ts";
export function jobOf(state: State, no: JobNo): Job {
  const job = state.jobs.get(no);
  if (job === undefined) throw new Error(`no live job ${no}`);
  return job;
}

/** The lowest priority of what an account itself runs; infinite where it runs nothing. */
export function lowestPriority(state: State, account: AccountNo): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const priority of state.priorities[account]?.keys() ?? []) lowest = Math.min(lowest, priority);
  return lowest;
}
