import type { Account } from "../model/account.ts";
import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { accountOf } from "../quota/accounts.ts";
import { coverFor } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, noShare, type Share, shareOf } from "../quota/share.ts";
import type { Wish } from "../state/indexes/wish.ts";
import type { State } from "../state/state.ts";
import { mayTakeOwn } from "./own-work.ts";
import type { Claimant } from "./takeable.ts";

/**
 * Whether a claim could find anyone at all, from counts alone. Most who wait on a full fleet have nobody to take, and
 * telling so must not cost a plan. It may say yes in vain, but never no where somebody could be taken.
 */
export function hasProspects(state: State, claimant: Claimant): boolean {
  // Extra members are for the plan to look at.
  if (state.elastic.size > 0) return true;
  return mayTakeOwn(state, claimant.job) || mayTakeForFloor(state, claimant) || mayTakeForShare(state, claimant);
}

/** Whether a job has a guarantee, or less urgent work of its own account, to claim by [T1, T3]. */
export function mayInsist(state: State, job: Job, { options }: Wish): boolean {
  const staying = ({ no }: Account) => stayingOf(state, no);
  for (const { demand } of options) if (coverFor(state, job.account, demand, staying) !== noAccount) return true;
  return mayTakeOwn(state, job);
}

/** T1: burst work anywhere, or work that an account above its cover covers. */
function mayTakeForFloor(state: State, { cover }: Claimant): boolean {
  if (cover === noAccount) return false;
  if (state.usage[rootAccount]!.burst > 0) return true;
  for (let at = accountOf(state, cover).parent; at !== rootAccount; at = accountOf(state, at).parent) {
    if (state.usage[at]!.covered.units > state.usage[cover]!.covered.units) return true;
  }
  return false;
}

/** T2: at some level another side stands at least as high as the claimant's would. */
function mayTakeForShare(state: State, { job, demand }: Claimant): boolean {
  const { rebalance } = state.policy;
  if (rebalance === "off" || (rebalance === "checkpointed" && state.resumable.isEmpty)) return false;
  if (accountOf(state, job.account).children.length > 0) return true;
  for (let side = job.account; side !== rootAccount; side = accountOf(state, side).parent) {
    const { parent } = accountOf(state, side);
    // Jobs of an account that also has accounts below are sides of their own.
    if (state.active.has(parent)) return true;
    const share = shareOf(state, accountOf(state, side), stayingOf(state, side), demand);
    if (compareShares(highestBeside(state, parent, side), share) >= 0) return true;
  }
  return false;
}

interface Highest {
  readonly version: number;
  readonly account: AccountNo;
  readonly share: Share;
  /** The highest but for `account`. */
  readonly second: Share;
}

const highest = new WeakMap<State, Map<AccountNo, Highest>>();

/** The largest share of the accounts below `parent`, but for one of them. Kept until somebody's usage changes. */
function highestBeside(state: State, parent: AccountNo, but: AccountNo): Share {
  let known = highest.get(state);
  if (known === undefined) {
    known = new Map();
    highest.set(state, known);
  }
  let entry = known.get(parent);
  if (entry === undefined || entry.version !== state.version) {
    entry = findHighest(state, parent);
    known.set(parent, entry);
  }
  return entry.account === but ? entry.second : entry.share;
}

function findHighest(state: State, parent: AccountNo): Highest {
  let [account, share, second] = [noAccount, noShare, noShare];
  for (const child of accountOf(state, parent).children) {
    const each = shareOf(state, accountOf(state, child), stayingOf(state, child));
    if (compareShares(each, share) > 0) [account, share, second] = [child, each, share];
    else if (compareShares(each, second) > 0) second = each;
  }
  return { version: state.version, account, share, second };
}
