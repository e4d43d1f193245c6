import type { GpuNo, JobNo, LeaseId, NodeNo } from "./ids.ts";
import type { PartSeat } from "./part.ts";
import type { Instant } from "./units.ts";

/**
 * What one member holds from the moment it is placed until it is known to have stopped. `starting` and `stopping`
 * hold the seat as much as `running` does; a lease never expires by itself.
 */
export type LeaseState = "starting" | "prepared" | "running" | "stopping";

export interface Lease {
  readonly id: LeaseId;
  readonly job: JobNo;
  readonly attempt: number;
  readonly rank: number;
  readonly node: NodeNo;
  readonly gpus: readonly GpuNo[];
  /** Compute held on each of `gpus`. */
  readonly unitsEach: number;
  /** The part of its one GPU that it holds; absent for whole GPUs. */
  readonly part?: PartSeat;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly placedAt: Instant;
  /** A member beyond the minimum of an elastic job: burst, and the first to be stopped. */
  readonly extra?: true;
  /** The pool of its node when it was placed, and what the price beyond guarantees is multiplied by. */
  readonly pool?: string;
  readonly poolPerMille?: number;
  /** GPUs that must be scrubbed, then reshaped, before the lease can be prepared. */
  handover?: { readonly scrub: readonly GpuNo[]; readonly reshape: readonly GpuNo[] };
  state: LeaseState;
  /** When it entered `state`; where its next usage record begins. */
  since: Instant;
  /** The engine's own name for it, once prepared. */
  engineId?: string;
  /** The number of the last report that was applied; a report with this number or a lower one is a repetition. */
  reportSequence: number;
  /** How the engine says it enforces each limit. */
  enforcement?: { readonly [limit: string]: string };
  /** What the engine made of its GPU for it, such as `MIG-…`. */
  devices?: readonly string[];
  startedAt?: Instant;
}
