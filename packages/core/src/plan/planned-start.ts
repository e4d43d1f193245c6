import type { MemberAsk } from "../fleet/fit.ts";
import type { AccountNo, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { Demand } from "../quota/demand.ts";
import type { PartsOn } from "./future-parts.ts";
import type { FutureUsage } from "./future-quota.ts";
import type { SpareOn } from "./spare.ts";

/** When and where a job that cannot start now is expected to start. */
export interface PlannedStart {
  readonly job: Job;
  readonly at: Instant;
  readonly choice: number;
  /** What all its members on a node will take of it. */
  readonly takes: ReadonlyMap<NodeNo, MemberAsk>;
  /** The parts of GPUs it will have; a GPU that one of them opens is in `takes` as a whole one. */
  readonly parts: PartsOn;
  /** The guarantee that will cover it. Burst work outside of it may run in the gap before the start: it can be reclaimed [B2]. */
  cover: AccountNo;
  /** The start depends on the end of a job without a `max_time`. */
  readonly guessed: boolean;
  readonly demand: Demand;
}

/** A planned start with what is left beside it at that instant. */
export interface Plan {
  readonly start: PlannedStart;
  readonly spare: SpareOn;
  /** What accounts hold when it starts, without it; only where it waits for quota, or its cover may change until then. */
  readonly usage: FutureUsage | undefined;
  /** The other planned starts that run at that instant; neither `spare` nor `usage` counts what they take as free. */
  readonly beside: PlannedStart[];
  /** It needs work to be taken back for it: reclaimed by its guarantee, or preempted in its account [T1, T3]. */
  takesBack: boolean;
}
