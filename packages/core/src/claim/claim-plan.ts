import type { Seat } from "../journal/event.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Victim } from "./draft/victim.ts";
import type { Rule } from "./rules/rule.ts";

/** The victims of a claim, and the seats that are held for the claimant until they have left. */
export interface ClaimPlan {
  readonly choice: number;
  /** The account whose guarantee it claims by; `noAccount` = it claims as burst. */
  readonly cover: AccountNo;
  readonly unitsEach: number;
  readonly seats: readonly Seat[];
  readonly victims: ReadonlyMap<Victim, Rule>;
}
