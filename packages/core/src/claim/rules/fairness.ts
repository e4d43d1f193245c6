import type { Account } from "../../model/account.ts";
import type { AccountNo } from "../../model/ids.ts";
import { accountOf } from "../../quota/accounts.ts";
import type { Demand } from "../../quota/demand.ts";
import type { QuotaFacts } from "../../quota/facts.ts";
import { floorOf } from "../../quota/guarantee.ts";
import { stayingOf } from "../../quota/held.ts";
import { compareShares, noShare, type Share, shareOf, shareOfJob } from "../../quota/share.ts";
import type { Remaining } from "./remaining.ts";

/** The claimant's side at a common account, as it stands once the claimant runs. */
export interface WinningSide {
  readonly weight: number;
  readonly share: Share;
}

/** `side` undefined = the claimant is a side of its own, with weight 1 and no guarantee. */
export function winningSide(
  quotas: QuotaFacts,
  side: AccountNo | undefined,
  demand: Demand,
  after: Remaining,
): WinningSide {
  if (side === undefined) return { weight: 1, share: shareOfJob(quotas, demand) };
  const account = accountOf(quotas, side);
  return { weight: account.terms.quota.weight, share: shareOf(quotas, account, after.left(side), demand) };
}

/**
 * T2: whether a side may end as it does when the claimant's side wins. Undefined for a job that is a side of its own;
 * nothing of that is left.
 */
export function mayLose(
  quotas: QuotaFacts,
  side: AccountNo | undefined,
  winner: WinningSide,
  after: Remaining,
): boolean {
  if (side === undefined) return compareShares(noShare, winner.share) >= 0;
  const account = accountOf(quotas, side);
  if (isWithoutWeight(account, winner) && keepsFloor(quotas, account, after)) return true;
  return isFairLoss(after.share(side), winner.share, () => shareOf(quotas, account, stayingOf(quotas, side)));
}

/** T2: a side of weight 0 may lose everything it borrowed to a side with a weight, and no more. */
function isWithoutWeight({ terms }: Account, winner: WinningSide): boolean {
  return terms.quota.weight === 0 && winner.weight > 0;
}

function keepsFloor(quotas: QuotaFacts, account: Account, after: Remaining): boolean {
  return after.left(account.no).units >= floorOf(quotas, account).units;
}

/**
 * T2, T11: whether a side may end with the share `after` when the claimant's side ends with `winner`. To end level is
 * enough only if the loss lowers the side's share; otherwise two sides could take the same seats from each other for ever.
 */
export function isFairLoss(after: Share, winner: Share, before: () => Share): boolean {
  const order = compareShares(after, winner);
  return order > 0 || (order === 0 && compareShares(after, before()) < 0);
}
