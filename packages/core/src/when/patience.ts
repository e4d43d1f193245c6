import type { Job } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";
import { usualRunMs } from "../state/pace.ts";
import { orderOf, type State } from "../state/state.ts";

/** So many usual run times of its account a job has waited before it is planned. */
const runsWaited = 20;
/** A second plan at once kept more GPUs idle than it saved waiting. */
const plansAtOnce = 1;

/** More plans than this are not made: who is further behind is planned when somebody asks. */
export const plansMax = 8;

/** Whether one more start may be planned; where very many wait, only while turns are taken [B6]. */
export function mayPlan({ policy, planned, waiting }: State): boolean {
  return policy.backfill && planned.size < plansMax && (!waiting.isLong || waiting.turnsAreDue);
}

/**
 * Whether a job that cannot start may be planned [B1]. Where an account lets the shorter go first, by what they
 * need or have had, its order and the waiting see to most, and each plan keeps GPUs idle; only who asks for several GPUs at once is passed by all others for
 * ever, and gets a plan once it has waited long.
 */
export function mayBePlanned(state: State, { account, spec, submittedAt }: Job): boolean {
  if (orderOf(state, account) === "age") return true;
  const { count, unitsEach } = spec.gpus[0]!;
  if (count * unitsEach * spec.members.min <= unitsPerGpu || state.planned.size >= plansAtOnce) return false;
  return state.clock - submittedAt >= runsWaited * usualRunMs(state, account);
}
