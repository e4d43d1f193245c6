import { usualRunMs } from "../learn/pace.ts";
import type { Job } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";
import { isOverdue } from "../queue/overdue.ts";
import { queueOrderOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";

/** So many usual run times of its account a job has waited before it is planned, overdue or not. */
const runsWaited = 30;
/** A second plan at once kept more GPUs idle than it saved waiting. */
const plansAtOnce = 1;
/** To empty more than this part of what the account holds or could have costs the others more than it saves. */
const largestPart = 1 / 6;

/** More plans than this are not made: who is further behind is planned when somebody asks. */
export const plansMax = 8;

/** Whether one more start may be planned; where very many groups wait, only while turns are taken [B6]. */
export function mayPlan({ policy, planned, waiting }: State, isTurn: boolean): boolean {
  return policy.backfill && planned.size < plansMax && (!waiting.isLong || isTurn);
}

/**
 * Whether a job that cannot start may be planned [B1]. Where an account lets the shorter go first, by what they
 * need or have had, its order and the waiting see to most, and each plan keeps GPUs idle; only who asks for several GPUs at
 * once is passed by all others for ever, and gets a plan once it is overdue, or has waited long whatever it asks for.
 */
export function mayBePlanned(state: State, job: Job): boolean {
  const { account, spec, submittedAt } = job;
  if (queueOrderOf(state, account) === "age") return true;
  const { count, unitsEach } = spec.gpus[0]!;
  const units = count * unitsEach * spec.members.min;
  if (units <= unitsPerGpu || state.planned.size >= plansAtOnce) return false;
  if (state.clock - submittedAt >= runsWaited * usualRunMs(state, account)) return true;
  const within = (state.usage[account]!.units + state.fleet.freeUnitsUp()) * largestPart;
  return units <= within && isOverdue(state, job);
}
