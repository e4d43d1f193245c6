import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isInside, pathUp } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A planned start, as far as it decides what the job can take back when its time has come. */
export interface FutureClaimant {
  readonly job: Job;
  readonly at: Instant;
  /** The guarantee that will cover it. */
  readonly cover: AccountNo;
}

/** Whether a planned job reclaims burst work of an account: the account is outside the guarantee that will cover it [T1]. */
export function willReclaimFrom(state: ReadonlyState, { cover }: FutureClaimant, account: AccountNo): boolean {
  return cover !== noAccount && !isInside(state, account, cover);
}

/**
 * Whether a planned job preempts a job of its own account that is burst now and was placed at `placedAt`: it has a lower
 * priority, is past `min_runtime` by then, and no guarantee can cover it lower than the planned job, even if it is
 * promoted meanwhile [T3, T8].
 */
export function willPreempt(
  state: ReadonlyState,
  { job, at, cover }: FutureClaimant,
  { account, spec }: Job,
  placedAt: Instant,
): boolean {
  if (account !== job.account || !spec.preemptible || spec.priority >= job.spec.priority) return false;
  if (placedAt + state.policy.minRuntimeMs > at) return false;
  const floor = lowestFloor(state, account);
  return floor === noAccount || (cover !== noAccount && isInside(state, cover, floor));
}

/** Whether a planned job takes back, when its time has come, what another job would hold as burst from `now` on. */
export function willTakeBack(state: ReadonlyState, claimant: FutureClaimant, job: Job, now: Instant): boolean {
  return willReclaimFrom(state, claimant, job.account) || willPreempt(state, claimant, job, now);
}

/** The lowest account on the path that guarantees anything. */
function lowestFloor(state: ReadonlyState, account: AccountNo): AccountNo {
  for (const { no, terms } of pathUp(state, account))
    for (const units of Object.values(terms.quota.guarantee)) if (units > 0) return no;
  return noAccount;
}
