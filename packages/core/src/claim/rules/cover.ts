import { type AccountNo, noAccount } from "../../model/ids.ts";
import { isInside } from "../../quota/accounts.ts";
import { coverFor } from "../../quota/guarantee.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Claimant } from "./claimant.ts";
import type { Remaining } from "./remaining.ts";

/** C2: covered work is taken only for a job inside the covering account. */
export function isCoveredAgainst({ path }: Pick<Claimant, "path">, cover: AccountNo): boolean {
  return cover !== noAccount && !path.has(cover);
}

/** T1: a guarantee is claimed back only from accounts outside the covering account. */
export function isOutsideCover(state: ReadonlyState, { cover }: Pick<Claimant, "cover">, account: AccountNo): boolean {
  return !isInside(state, account, cover);
}

/** T3: covered work is replaced only by work covered at least as low; otherwise it would claim its guarantee back. */
export function isCoveredAsLow(state: ReadonlyState, cover: AccountNo, victimCover: AccountNo): boolean {
  if (victimCover === noAccount) return true;
  return cover !== noAccount && isInside(state, cover, victimCover);
}

/** C1 for the claimant once the evictions have happened: the lowest account whose guarantee holds it. */
export function coverThen(state: ReadonlyState, { job, demand }: Claimant, after: Remaining): AccountNo {
  return coverFor(state, job.account, demand, (account) => after.left(account.no));
}

/** T3, judged on the cover that the claimant has once it runs. */
export function isReplacedAsLow(
  state: ReadonlyState,
  claimant: Claimant,
  after: Remaining,
  victimCover: AccountNo,
): boolean {
  return victimCover === noAccount || isCoveredAsLow(state, coverThen(state, claimant, after), victimCover);
}

/** C4, T1: whether the guarantee by which the claimant claims really holds it once the evictions have happened. */
export function isHeldByCover(state: ReadonlyState, claimant: Claimant, after: Remaining): boolean {
  const cover = coverThen(state, claimant, after);
  return cover !== noAccount && isInside(state, cover, claimant.cover);
}
