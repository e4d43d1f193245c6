import type { Account } from "../../model/account.ts";
import type { AccountNo } from "../../model/ids.ts";
import { accountOf, isInside } from "../../quota/accounts.ts";
import { isWithin } from "../../quota/guarantee.ts";
import type { Held } from "../../quota/held.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Draft } from "../draft/draft.ts";
import type { Victim } from "../draft/victim.ts";
import type { Claimant } from "./claimant.ts";
import type { Remaining } from "./remaining.ts";
import { losingAccounts } from "./sides.ts";

/** T5: an account gives up jobs only while it, and the accounts up to its side, are above their guarantees. */
export function isSource(
  state: ReadonlyState,
  claimant: Pick<Claimant, "path">,
  account: AccountNo,
  after: Remaining,
): boolean {
  for (const each of losingAccounts(state, claimant, account))
    if (!isAbove(state, each, after.left(each.no))) return false;
  return true;
}

/** Whether an account that holds `held` is above its guarantee. */
export function isAbove(state: ReadonlyState, account: Account, held: Held): boolean {
  return !isWithin(state, account, held);
}

/**
 * T5 for one more victim. The last victim of an account may bring it below its guarantee, and which one is the last is
 * open: an account at its guarantee may still lose this victim if another of its victims can be counted as the last.
 */
export function isSourceFor(draft: Draft, victim: Victim): boolean {
  const { state, claimant, victims } = draft;
  const { account } = victim.job;
  if (isSource(state, claimant, account, draft)) return true;
  if (victims.size === 0) return false;
  return draft.ifEvicted(victim, () =>
    losingAccounts(state, claimant, account).every(({ no }) => wasSource(draft, no)),
  );
}

function wasSource(draft: Draft, account: AccountNo): boolean {
  for (const victim of draft.victims.keys())
    if (isInside(draft.state, victim.job.account, account) && isAboveWith(draft, account, victim)) return true;
  return false;
}

/** T5 for a set: each account that loses, and not the claimant, was above its guarantee until its last victim. */
export function wereSources(draft: Draft): boolean {
  const wasAbove = new Map<AccountNo, boolean>();
  for (const victim of draft.victims.keys()) {
    for (const { no } of losingAccounts(draft.state, draft.claimant, victim.job.account))
      wasAbove.set(no, wasAbove.get(no) || isAboveWith(draft, no, victim));
  }
  return ![...wasAbove.values()].includes(false);
}

/** Whether an account is above its guarantee if one victim stays; of an elastic job, its minimum or its last member. */
function isAboveWith(draft: Draft, no: AccountNo, victim: Victim): boolean {
  const { state } = draft;
  const { leases, extra } = victim;
  const account = accountOf(state, no);
  // With the last seat of a confidential tenant on a node it loses the rest of the node too [U3].
  if (state.dedicated.size > 0 && !extra) return isAbove(state, account, draft.leftIfSpared(no, victim));
  if (extra || !leases.some((lease) => lease.extra)) return isAbove(state, account, draft.leftWith(no, leases));
  const least = leases.filter((lease) => !lease.extra);
  return (
    isAbove(state, account, draft.leftWith(no, least)) || isAbove(state, account, draft.leftWith(no, leases.slice(-1)))
  );
}
