import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isInside, pathUp } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";

/** What is known of a planned start when others ask whether it can take back what they hold by then. */
export interface Taker {
  readonly job: Job;
  readonly at: Instant;
  /** The guarantee that will hold it. */
  readonly cover: AccountNo;
}

/** Whether who is planned takes back burst work of an account: it lies outside the guarantee that will hold the plan [T1]. */
export function takesFromOutside(state: State, { cover }: Taker, account: AccountNo): boolean {
  return cover !== noAccount && !isInside(state, account, cover);
}

/**
 * Whether who is planned takes back work of its own account that is burst now, and was placed at `placedAt`: lower
 * priority, old enough by then, and never covered lower than the planned job, even if it is promoted meanwhile [T3, T8].
 */
export function takesFromOwn(
  state: State,
  { job, at, cover }: Taker,
  { account, spec }: Job,
  placedAt: Instant,
): boolean {
  if (account !== job.account || !spec.preemptible || spec.priority >= job.spec.priority) return false;
  if (placedAt + state.policy.minRuntimeMs > at) return false;
  const floor = lowestFloor(state, account);
  return floor === noAccount || (cover !== noAccount && isInside(state, cover, floor));
}

/** The lowest account on the path that guarantees anything. */
function lowestFloor(state: State, account: AccountNo): AccountNo {
  for (const { no, terms } of pathUp(state, account))
    for (const units of Object.values(terms.quota.guarantee)) if (units > 0) return no;
  return noAccount;
}
