import type { Account } from "../model/account.ts";
import { noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { accountOf } from "../quota/accounts.ts";
import { coverFor } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, shareOf } from "../quota/share.ts";
import type { Wish } from "../state/indexes/wish.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { HighestShares } from "./highest-shares.ts";
import type { Claimant } from "./rules/claimant.ts";
import { mayTakeOwn } from "./rules/own-account.ts";
import { meetingsOf } from "./rules/sides.ts";

/**
 * Whether a claim could find any victim, from counts alone. Most jobs that wait on a full fleet may take no other, and
 * to find that out must not cost a plan. A yes may be wrong; a no is not.
 */
export function hasProspects(state: ReadonlyState, claimant: Claimant, highest: HighestShares): boolean {
  // Extra members are for the plan to judge.
  if (state.elastic.size > 0) return true;
  return (
    mayTakeOwn(state, claimant.job) || mayTakeForFloor(state, claimant) || mayTakeForShare(state, claimant, highest)
  );
}

/** Whether a job has a guarantee, or less urgent work of its own account, to claim by [T1, T3]. */
export function mayInsist(state: ReadonlyState, job: Job, { options }: Wish): boolean {
  const staying = ({ no }: Account) => stayingOf(state, no);
  for (const { demand } of options) if (coverFor(state, job.account, demand, staying) !== noAccount) return true;
  return mayTakeOwn(state, job);
}

/** T1: burst work anywhere, or work that an account above the claimant's cover covers. */
function mayTakeForFloor(state: ReadonlyState, { cover }: Claimant): boolean {
  if (cover === noAccount) return false;
  if (state.usage[rootAccount]!.burst > 0) return true;
  for (let at = accountOf(state, cover).parent; at !== rootAccount; at = accountOf(state, at).parent) {
    if (state.usage[at]!.covered.units > state.usage[cover]!.covered.units) return true;
  }
  return false;
}

/** T2: at some level another side has at least the share that the claimant's side would have. */
function mayTakeForShare(state: ReadonlyState, { job, demand }: Claimant, highest: HighestShares): boolean {
  const { rebalance } = state.policy;
  if (rebalance === "off" || (rebalance === "checkpointed" && state.resumable.isEmpty)) return false;
  if (accountOf(state, job.account).children.length > 0) return true;
  for (const { common, own } of meetingsOf(state, job.account)) {
    if (own === undefined) continue;
    // Jobs of an account that also has accounts below are sides of their own.
    if (state.active.has(common)) return true;
    const share = shareOf(state, accountOf(state, own), stayingOf(state, own), demand);
    if (compareShares(highest.beside(common, own), share) >= 0) return true;
  }
  return false;
}
