import { usualRunMs } from "../learn/pace.ts";
import type { Job } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";
import { isOverdue } from "../queue/overdue.ts";
import { queueOrderOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A job that has waited for this many usual run times of its account is planned, overdue or not. */
const usualRunsWaited = 30;
/** Plans of accounts that order by length: a second plan at once kept more GPUs idle than it saved waiting. */
const plansByLengthMax = 1;
/** Emptying more than this part of what an account holds or could have costs other jobs more than it saves. */
const largestPart = 1 / 6;

/** At most this many starts are planned; the start of a job further behind is worked out when a user asks for it. */
export const plansMax = 8;

/** Whether one more start may be planned; with very many waiting groups, only in a turn [B6]. */
export function mayPlan({ policy, planned, waiting }: ReadonlyState, isTurn: boolean): boolean {
  return policy.backfill && planned.size < plansMax && (!waiting.isLong || isTurn);
}

/**
 * Whether a job that cannot start may be planned [B1]. An account that orders by length or by past service serves most
 * jobs by its order alone, and each plan keeps GPUs idle. There only a job of several GPUs, which smaller jobs would
 * overtake for ever, is planned: once it is overdue, or has waited very long.
 */
export function mayBePlanned(state: ReadonlyState, job: Job): boolean {
  const { account, spec, submittedAt } = job;
  if (queueOrderOf(state, account) === "age") return true;
  const { count, unitsEach } = spec.gpus[0]!;
  const units = count * unitsEach * spec.members.min;
  if (units <= unitsPerGpu || state.planned.size >= plansByLengthMax) return false;
  if (state.clock - submittedAt >= usualRunsWaited * usualRunMs(state, account)) return true;
  const unitsMax = (state.usage[account]!.units + state.fleet.freeUnitsUp()) * largestPart;
  return units <= unitsMax && isOverdue(state, job);
}
