import { type AccountNo, noAccount } from "../../model/ids.ts";
import { type CeilingHit, ceilingHit } from "../../quota/ceiling.ts";
import type { Draft } from "../draft/draft.ts";
import type { Victim } from "../draft/victim.ts";
import { coverThen, isHeldByCover, isReplacedAsLow } from "./cover.ts";
import { mayLose } from "./fairness.ts";
import { sidesOf } from "./sides.ts";
import { wereSources } from "./source.ts";

/** Whether every rule holds for the victims of a draft. */
export function isLawful(draft: Draft): boolean {
  for (const [victim, rule] of draft.victims) if (rule === "T2" && !isFair(draft, victim.job.account)) return false;
  return isLawfulButForFairness(draft);
}

/** Whether every rule holds except that no side ends below the claimant's [T2]. */
export function isLawfulButForFairness(draft: Draft): boolean {
  if (ceilingHitOf(draft) !== undefined) return false;
  if (draft.claimant.cover !== noAccount && needsCover(draft) && !covers(draft)) return false;
  for (const [victim, rule] of draft.victims) if (rule !== "T1" && !isReplaced(draft, victim)) return false;
  return wereSources(draft);
}

/** T1, C4: a claim on others' work, or for a job that must not be preempted, needs a guarantee that really holds it. */
function needsCover({ claimant, victims }: Draft): boolean {
  return !claimant.job.spec.preemptible || [...victims.values()].includes("T1");
}

/** T2 for one losing account, as far as the draft goes. */
export function isFair(draft: Draft, account: AccountNo): boolean {
  const sides = sidesOf(draft.state, draft.claimant, account);
  return mayLose(draft.state, sides.loser, draft.winner(sides.claimant), draft);
}

/** T2 for one more victim; `last` = no other victim is to follow. */
export function isFairWithout(draft: Draft, victim: Victim, last: boolean): boolean {
  return draft.ifEvicted(victim, () => isFair(draft, victim.job.account) && (!last || isReplaced(draft, victim)));
}

function isReplaced(draft: Draft, { cover }: Victim): boolean {
  return isReplacedAsLow(draft.state, draft.claimant, draft, cover);
}

/** Whether the guarantee by which the claimant claims would hold it. */
export function covers(draft: Draft): boolean {
  return isHeldByCover(draft.state, draft.claimant, draft);
}

/** Whether some guarantee would hold the claimant. */
export function isCovered(draft: Draft): boolean {
  return coverThen(draft.state, draft.claimant, draft) !== noAccount;
}

/** C5: the ceiling that would still be broken. Work that is stopping already is gone before the claimant starts. */
export function ceilingHitOf(draft: Draft): CeilingHit | undefined {
  const { job, demand } = draft.claimant;
  return ceilingHit(draft.state, job.account, demand, (account) => draft.left(account.no));
}
