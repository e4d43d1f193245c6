import type { AccountId, JobId, LeaseId, UserId } from "@tessera/core";
import type { MemberRow, TelemetryRow } from "./row.ts";

/** What can be drawn over time. */
export const storedMetrics = [
  "activity",
  "busy",
  "tensor",
  "memory_activity",
  "memory_used",
  "power",
  "energy",
  "temperature",
  "clock",
  "pcie",
  "nvlink",
  "encoder",
  "cpu",
  "memory",
] as const;
export type StoredMetric = (typeof storedMetrics)[number];

export const telemetryGroups = ["none", "account", "user", "job", "rank", "lease", "node", "gpu", "model"] as const;
export type TelemetryGroup = (typeof telemetryGroups)[number];

/** Absent = all. Several fields must all fit. */
export interface TelemetryFilter {
  readonly accounts?: ReadonlySet<AccountId>;
  readonly user?: UserId;
  readonly job?: JobId;
  readonly lease?: LeaseId;
  readonly node?: string;
  readonly gpu?: string;
}

export interface SeriesQuery {
  readonly metric: StoredMetric;
  readonly by: TelemetryGroup;
  readonly from: number;
  readonly to: number;
  /** At least; the answer has longer steps where nothing finer is kept. */
  readonly stepMs: number;
  readonly filter: TelemetryFilter;
  readonly linesMax: number;
}

export interface StoredLine {
  /** The id of the group; empty = no lease held it, or the line of all. */
  readonly key: string;
  /** Null = not measured, which is not 0 [S35]. */
  readonly values: readonly (number | null)[];
  readonly simulated?: true;
}

/** Values have the units of the wire: per cent, GiB, W, kWh, °C, MHz, MB/s, cores. */
export interface SeriesAnswer {
  readonly stepMs: number;
  /** The begin of each step. */
  readonly times: readonly number[];
  readonly lines: readonly StoredLine[];
  readonly leftOut: number;
}

export interface BusyQuery {
  /** To whole minutes. */
  readonly from: number;
  readonly to: number;
  readonly by: TelemetryGroup;
  readonly filter: TelemetryFilter;
}

/** GPU time as samples told it. What was leased and not sampled is not in here: the meter knows that. */
export interface BusyRow {
  /** The id of the group; empty = no lease held it, or everything. */
  readonly key: string;
  /** Time of GPUs, by shares held, for which there is a sample. */
  readonly sampledMs: number;
  /** The part of it with a measured activity; busy = measured x activity; idle = measured and below `idleBelow`. */
  readonly measuredMs: number;
  readonly busyMs: number;
  readonly idleMs: number;
  /** The part of `sampledMs` that a lease held. */
  readonly leasedMs: number;
  /** The most that one GPU of it had in use; absent = not measured. */
  readonly memoryPeakMiB?: number;
  readonly energyMillijoules?: number;
  readonly simulated?: true;
}

/** Activity below this, in ten-thousandths, counts as idle. */
export const idleBelow = 500;

export interface TelemetryStatus {
  readonly bytes: number;
  readonly bytesMax: number;
  /** What its thread has in memory. */
  readonly memoryBytes: number;
  /** How long it was on a core. */
  readonly cpuMs: number;
  readonly rowsWritten: number;
  /** Rows that were not kept: the store was away, full or too slow. */
  readonly rowsDropped: number;
  /** Since when single GPUs are kept; lines of jobs and teams may go further back. */
  readonly oldest: { readonly raw?: number; readonly minute?: number; readonly hour?: number };
  /** What went wrong last. */
  readonly fault?: string;
}

/** Answers from what is kept. */
export interface TelemetryReader {
  /** Rejects with TelemetryTooWide, or TelemetryAway. */
  series(query: SeriesQuery): Promise<SeriesAnswer>;
  busy(query: BusyQuery): Promise<BusyRow[]>;
  close(): Promise<void>;
}

/** What the GPUs did, kept for a while. Bounded; may be lost without any harm to jobs or money. */
export interface TelemetryStore extends TelemetryReader {
  /** Returns at once. Rows that cannot be kept are dropped and counted. */
  write(rows: readonly TelemetryRow[], members?: readonly MemberRow[]): void;
  /** The last row of each GPU, instance and lease that is not older than a minute before the newest. */
  latest(filter?: TelemetryFilter): TelemetryRow[];
  latestMembers(filter?: TelemetryFilter): MemberRow[];
  status(): Promise<TelemetryStatus>;
  /** Resolves when everything written so far is on the disk. */
  flush(): Promise<void>;
}

/** More would have to be read than one answer may cost; a narrower question can be answered. */
export class TelemetryTooWide extends Error {}

/** It cannot be answered now. */
export class TelemetryAway extends Error {}
