import type { NodeNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import type { EffortBudget } from "./effort-budget.ts";
import type { ClaimNeed } from "./site.ts";
import type { Claimant } from "./takeable.ts";
/** For whom room is to be made, and what it must hold. */
export interface ClaimContext {
  readonly state: State;
  readonly claimant: Claimant;
  readonly need: ClaimNeed;
  readonly now: Instant;
  readonly effort: EffortBudget;
  /** The only nodes on which anyone is to be taken, where that is known. */
  readonly nodes?: readonly NodeNo[] | undefined;
  /** A guarantee holds the claimant if more of its own account's work leaves: this plan only spares some of that work [T14]. */
  readonly isOwed?: boolean;
}
