import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { Wish } from "../state/indexes/wish.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { EffortBudget } from "./effort-budget.ts";
import type { Claimant } from "./rules/claimant.ts";
import type { ClaimNeed } from "./seats/site.ts";

/** A job that asks for room, before it is known how it may claim. */
export interface ClaimRequest {
  readonly state: ReadonlyState;
  readonly job: Job;
  readonly wish: Wish;
  readonly now: Instant;
  readonly effort: EffortBudget;
}

/** The claimant for which room is made, and what it needs. */
export interface ClaimContext {
  readonly state: ReadonlyState;
  readonly claimant: Claimant;
  readonly need: ClaimNeed;
  readonly now: Instant;
  readonly effort: EffortBudget;
  /** The only nodes on which victims are searched for; undefined = all. */
  readonly nodes?: readonly NodeNo[] | undefined;
  /** A guarantee covers the claimant if more of its own account's work leaves: this plan only spares some of it [T14]. */
  readonly isOwed?: boolean;
}
