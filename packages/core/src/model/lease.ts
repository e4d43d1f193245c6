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
  /** Where it holds a part of its one GPU: how that was cut for it. */
  readonly part?: PartSeat;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly placedAt: Instant;
  /** Beyond the minimum of an elastic job: burst, and the first to leave. */
  readonly extra?: true;
  /** What must still be done to its devices before it can be made ready; scrubs first. */
  handover?: { readonly scrub: readonly GpuNo[]; readonly reshape: readonly GpuNo[] };
  state: LeaseState;
  /** When it entered `state`; where its next usage record begins. */
  since: Instant;
  /** The engine's own name for it, once prepared. */
  engineId?: string;
  /** The last report taken in; a report with this number or a lower one is a repetition. */
  reportSequence: number;
  /** How each limit is really enforced, as told by the engine. */
  enforcement?: { readonly [limit: string]: string };
  startedAt?: Instant;
}
