import type { Seat } from "../journal/event.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Rule } from "./takeable.ts";
import type { Victim } from "./victim.ts";
/** Who leaves, and which seats are held for the claimant meanwhile. */
export interface ClaimPlan {
  readonly choice: number;
  /** The guarantee it stands on; `noAccount` = it claims as burst. */
  readonly cover: AccountNo;
  readonly unitsEach: number;
  readonly seats: readonly Seat[];
  readonly victims: ReadonlyMap<Victim, Rule>;
}
