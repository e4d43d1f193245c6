import type { SizeClasses } from "./size.ts";

/** What the owner decides about taking back and planning, for the whole fleet. */
export interface Policy {
  /** Fair share of the surplus by eviction (T2): of anyone, of jobs that checkpoint only, or not at all. */
  readonly rebalance: "on" | "checkpointed" | "off";
  /** Protects a job that has just started from T2 and T3, not from its seat's owner. */
  readonly minRuntimeMs: number;
  /** How long a job without a checkpoint of its own has to leave. */
  readonly graceMs: number;
  /** Plan the first jobs that cannot start, and let others start only where that delays no plan. */
  readonly backfill: boolean;
  /** How many jobs may be moved within an hour to make room by shape (T9); absent means `movesPerHourPlain`. */
  readonly movesPerHourMax?: number;
  /** A GPU that passes to another tenant is cleared first, which takes about so long (S4); absent = it is not. */
  readonly scrubMs?: number;
  /** How long it takes to cut an idle GPU otherwise; absent = that is not counted. */
  readonly reshapeMs?: number;
  /** Sizes by name, in which quotas can be given and jobs can ask. */
  readonly sizes?: SizeClasses;
}

export const movesPerHourPlain = 60;

/** What a new installation begins with. A journal from before scrubs existed goes on without them until its owner says. */
export const usualHandover = { scrubMs: 10_000, reshapeMs: 15_000 } as const;

export const plainPolicy: Policy = {
  rebalance: "checkpointed",
  minRuntimeMs: 5 * 60_000,
  graceMs: 30_000,
  backfill: true,
};
