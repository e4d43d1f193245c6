import { noAccount } from "../../model/ids.ts";
import type { Instant } from "../../model/units.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Victim } from "../draft/victim.ts";
import type { Claimant } from "./claimant.ts";
import { isCoveredAgainst, isOutsideCover } from "./cover.ts";
import { mayReplace, outranks } from "./own-account.ts";
import { isTakeable, mayRebalance } from "./protection.ts";

/** The rule of SPEC.md by which a victim is taken. `O3`: the claimant's account has chosen an order that may evict. */
export type Rule = "T1" | "T2" | "T3" | "O3";

/** Whether a victim taken by this rule is of the claimant's own account. */
export function isOwn(rule: Rule): boolean {
  return rule === "T3" || rule === "O3";
}

/**
 * The rule by which the claimant may take one victim, if any. What a rule says of all victims together is judged on a
 * draft: lawful.ts.
 */
export function ruleFor(state: ReadonlyState, claimant: Claimant, victim: Victim, now: Instant): Rule | undefined {
  const { job } = victim;
  if (!isTakeable(victim) || job === claimant.job) return undefined;
  if (job.account === claimant.job.account) {
    if (!mayReplace(state, claimant, victim, now)) return undefined;
    return victim.extra || outranks(claimant.job, job) ? "T3" : "O3";
  }
  if (isCoveredAgainst(claimant, victim.cover)) return undefined;
  if (claimant.cover !== noAccount && isOutsideCover(state, claimant, job.account)) return "T1";
  return mayRebalance(state, victim, now) ? "T2" : undefined;
}
