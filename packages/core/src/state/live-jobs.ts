import type { AccountNo, JobNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** A job that must be live: an event or a decision about another one is a bug. */
export function jobOf(state: ReadonlyState, no: JobNo): Job {
  const job = state.jobs.get(no);
  if (job === undefined) throw new Error(`no live job ${no}`);
  return job;
}

/** The lowest priority among the jobs that hold leases in the account itself; infinite where none does. */
export function lowestPriority(state: ReadonlyState, account: AccountNo): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const priority of state.priorities[account]?.keys() ?? []) lowest = Math.min(lowest, priority);
  return lowest;
}
