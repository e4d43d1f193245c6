import type { AccountNo, LeaseId } from "./ids.ts";
import type { Instant } from "./units.ts";

/** Where something that may be a fault of a node was seen. */
export type FindingSource = "xid" | "ecc" | "remap" | "nvlink" | "throttle" | "bus" | "pcie" | "check";

/** Something that an engine saw of a node or of one of its GPUs. What follows from it is decided by the catalogue. */
export interface HealthFinding {
  readonly node: string;
  /** Absent = the node as a whole. */
  readonly gpuUuid?: string;
  readonly at: Instant;
  readonly source: FindingSource;
  /** The number of an Xid, a counter's name, or that of a check that failed. */
  readonly code: string;
  /** The evidence, in the words of what said it. */
  readonly text: string;
  /** The lease whose process it names. */
  readonly lease?: LeaseId;
}

/**
 * What follows from a finding [H1]. `ignore` and `watch` change nothing, and `watch` is shown as a warning. `restart-job`: the
 * program is to blame, and the GPU stays in use. The others take the node out of use: `drain` lets its jobs end by
 * themselves; `reset` stops those on the GPU, which works again after a reset; `quarantine` stops all; `rma` stops all,
 * and the hardware is to be replaced.
 */
export const healthActions = ["ignore", "watch", "restart-job", "drain", "reset", "quarantine", "rma"] as const;
export type HealthAction = (typeof healthActions)[number];

/** All findings of one kind on one GPU, or on the node. */
export interface FindingRecord {
  readonly source: FindingSource;
  readonly code: string;
  readonly gpuUuid?: string;
  readonly action: HealthAction;
  /** Of the newest. */
  readonly text: string;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly count: number;
}

/** A program of a tenant failed on a GPU. */
export interface Blame {
  readonly gpuUuid: string;
  readonly tenant: AccountNo;
  readonly code: string;
  readonly at: Instant;
}

/** What is known of the health of a node. Kept by the node's key, so that it outlives a change of its GPUs. */
export interface NodeHealth {
  /** Newest last. */
  readonly findings: readonly FindingRecord[];
  readonly blames: readonly Blame[];
  /** When repairs were opened that took the node out of use, oldest first. */
  readonly faultsAt: readonly Instant[];
  readonly checkedAt?: Instant;
  readonly checks?: readonly CheckRecord[];
}

export type CheckOutcome = "passed" | "failed" | "skipped" | "ended";

/** How one active check of a node or of a GPU went. */
export interface CheckRecord {
  readonly name: string;
  readonly gpuUuid?: string;
  readonly result: CheckOutcome;
  /** What was measured, with its unit, and what it was compared with. */
  readonly measured?: string;
  readonly expected?: string;
  readonly text: string;
}

export interface Evidence {
  readonly at: Instant;
  readonly text: string;
}

/** Why a node is out of use, what was seen, and what has to be done [H5]. */
export interface Repair {
  readonly no: number;
  /** The key of the node. */
  readonly node: string;
  readonly gpuUuid?: string;
  readonly openedAt: Instant;
  readonly action: HealthAction;
  /** Such as `Xid 79`. */
  readonly cause: string;
  readonly why: string;
  /** What brings the node back. */
  readonly step: string;
  /** The node has had so many faults that checks alone do not bring it back [H6]. */
  readonly flapping?: true;
  /** The first of it; `noted` says how much there was. */
  readonly evidence: readonly Evidence[];
  readonly noted: number;
  readonly closedAt?: Instant;
  readonly closedWhy?: string;
}
