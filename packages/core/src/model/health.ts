import type { LeaseId } from "./ids.ts";
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
