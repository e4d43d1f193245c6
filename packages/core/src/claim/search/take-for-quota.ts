import { noAccount, rootAccount } from "../../model/ids.ts";
import { pathUp } from "../../quota/accounts.ts";
import { unitsFreedBy } from "../draft/draft.ts";
import { leavesFirst, type Victim } from "../draft/victim.ts";
import { ceilingHitOf, covers } from "../rules/lawful.ts";
import { respectsLendingLimits } from "../rules/lending.ts";
import { isOwn } from "../rules/rule.ts";
import { losingAccounts } from "../rules/sides.ts";
import { nextVictim } from "./next-victim.ts";
import { type ClaimSearch, evict } from "./search.ts";

/** Evicts the work that must leave for the claimant's quota, whatever seats are free; false where that is not enough. */
export function takeForQuota(search: ClaimSearch): boolean {
  return takeForCover(search) && takeForCeilings(search) && takeForLending(search);
}

/** Where the guarantee holds the claimant only without some work of its own account, that work goes first. */
function takeForCover(search: ClaimSearch): boolean {
  const { context, offers, draft } = search;
  const { claimant, now } = context;
  if (claimant.cover === noAccount || covers(draft)) return true;
  const own = [...offers.of(claimant.job.account)].filter((victim) => isOwn(offers.ruleOf(victim)));
  own.sort((a, b) => leavesFirst(a, b, now));
  for (const victim of own) {
    if (covers(draft)) return true;
    evict(search, victim);
  }
  return covers(draft);
}

/** Where a ceiling is full, work below it must leave [C5]. */
function takeForCeilings(search: ClaimSearch): boolean {
  const { offers, draft } = search;
  for (let hit = ceilingHitOf(draft); hit !== undefined; hit = ceilingHitOf(draft)) {
    const below = [...offers.below(hit.account.no)].filter((victim) => !draft.isGone(victim));
    const next = nextVictim(search, below);
    if (next === undefined) return false;
    evict(search, next);
  }
  return true;
}

/** Where the free GPUs may not be borrowed, another borrower must leave [C5]. */
function takeForLending(search: ClaimSearch): boolean {
  const { context, offers, draft } = search;
  while (!respectsLendingLimits(draft)) {
    const able = [...offers.below(rootAccount)].filter(
      (victim) => !draft.isGone(victim) && (unitsFreedBy(context.state, victim) > 0 || sharesAccount(search, victim)),
    );
    const next = nextVictim(search, able);
    if (next === undefined) return false;
    evict(search, next);
  }
  return true;
}

/** Whether a guarantee that the victim uses might hold the claimant instead. */
function sharesAccount({ context: { state, claimant } }: ClaimSearch, { job }: Victim): boolean {
  return losingAccounts(state, claimant, job.account).length < pathUp(state, job.account).length;
}
