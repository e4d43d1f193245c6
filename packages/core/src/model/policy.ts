import type { Role } from "./access.ts";
import type { Numbers } from "./numbers.ts";
import type { SizeClasses } from "./size.ts";

/** The owner's choices about evictions, planning and handover, for the whole fleet. */
export interface Policy {
  /** Rebalancing of the surplus by eviction [T2]: of any job, of jobs that checkpoint only, or not at all. */
  readonly rebalance: "on" | "checkpointed" | "off";
  /** Protects a job that has just started from T2 and T3, not from a reclaim by a guarantee [T8]. */
  readonly minRuntimeMs: number;
  /** The grace of a job that does not return after the stop, and of one that declares no checkpoint. */
  readonly graceMs: number;
  /** The longest grace that a job may ask for and a stop may give; absent means `graceMaxPlainMs`, or a longer `graceMs`. */
  readonly graceMsMax?: number;
  /** Plan the first jobs that cannot start, and let others start only where that delays no plan [B1, B2]. */
  readonly backfill: boolean;
  /** The most jobs moved per hour to consolidate free GPUs [T9]; absent means `movesPerHourPlain`. */
  readonly movesPerHourMax?: number;
  /** The expected duration of a scrub before a GPU passes to another tenant [S4]; absent = GPUs are not scrubbed. */
  readonly scrubMs?: number;
  /** The expected duration of a change of an idle GPU's mode; absent = not counted. */
  readonly reshapeMs?: number;
  /** What the snapshot of one job may hold, and what is kept for one tenant; absent = `usualContentLimits`. */
  readonly snapshotFilesMax?: number;
  readonly snapshotMiBMax?: number;
  readonly contentMiBMax?: number;
  /** The longest run time whose loss is credited; absent = the grace that the job was promised. */
  readonly lostWorkMsMax?: number;
  /** The most that tenants may have of what they can make large; absent = `numberBounds` says. */
  readonly max?: Partial<Numbers>;
  /** New nodes with real GPUs get work only after they have passed the checks [H6]; absent = at once. */
  readonly acceptance?: true;
  /** How often idle nodes are checked; absent = never. */
  readonly checkEveryMs?: number;
  /** Roles that need a second factor; absent = those of the whole platform, where others than this machine can connect. */
  readonly factorRoles?: readonly Role[];
  /** A session that is not used for so long is over; absent = `sessionBounds` says. */
  readonly sessionIdleMs?: number;
  /** A session is over after so long; absent = `sessionBounds` says. */
  readonly sessionLifeMs?: number;
  /** No sign-in by password once there is a provider; absent = people may. */
  readonly passwordsOff?: true;
  /** The longest life of a token that a person makes; absent = no limit. */
  readonly tokenLifeMsMax?: number;
  /** Named sizes, which quotas and jobs can use. */
  readonly sizes?: SizeClasses;
}

export const movesPerHourPlain = 60;

/** For owners who set no limits of their own. */
export const usualContentLimits = { snapshotFilesMax: 20_000, snapshotMiBMax: 2_048, contentMiBMax: 204_800 } as const;

/** Long enough to write a large checkpoint to slow storage, and short enough to wait for GPUs that were lent. */
export const graceMaxPlainMs = 15 * 60_000;

/** Above this the owner of lent GPUs would wait for a day. Below a minute, jobs that name no grace would not have theirs. */
export const graceMaxBounds = { leastMs: 60_000, mostMs: 24 * 60 * 60_000 } as const;

/** More often than this, checks would be most of what idle GPUs do. */
export const checkEveryBounds = { leastMs: 10 * 60_000, mostMs: 365 * 24 * 60 * 60_000 } as const;

/** Below a minute nobody could work; above a month a forgotten browser stays signed in. */
export const sessionBounds = {
  idle: { leastMs: 60_000, plainMs: 30 * 60_000, mostMs: 30 * 24 * 60 * 60_000 },
  life: { leastMs: 5 * 60_000, plainMs: 12 * 60 * 60_000, mostMs: 90 * 24 * 60 * 60_000 },
} as const;

/** Below a minute no program could use it. */
export const tokenLifeBounds = { leastMs: 60_000, mostMs: 10 * 365 * 24 * 60 * 60_000 } as const;

/** The longest time between the signal and the forced stop of any job. */
export function graceMaxOf({ graceMs, graceMsMax }: Policy): number {
  return graceMsMax ?? Math.max(graceMaxPlainMs, graceMs);
}

/** The handover of a new installation. A journal from before scrubs existed has none until its owner sets them. */
export const usualHandover = { scrubMs: 10_000, reshapeMs: 15_000 } as const;

/** Of a new installation: as long as a job that has just started is left alone. */
export const usualLostWorkMsMax = 5 * 60_000;

export const plainPolicy: Policy = {
  rebalance: "checkpointed",
  minRuntimeMs: 5 * 60_000,
  graceMs: 30_000,
  backfill: true,
};
