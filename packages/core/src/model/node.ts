import type { GpuNo, NodeNo } from "./ids.ts";
import type { PoolMode } from "./part.ts";
import type { Instant } from "./units.ts";

/**
 * `up` takes work; `cordoned` keeps what it has and takes nothing new; `draining` is being emptied; `maintenance` is
 * empty and in the owner's hands; `down` is lost.
 */
export type NodeMode = "up" | "cordoned" | "draining" | "maintenance" | "down";

/** The location of a node, widest domain first; topology constraints compare it. */
export interface NodeLocation {
  readonly zone: string;
  readonly block: string;
  readonly rack: string;
  /** GPUs with one name here reach each other over NVLink: the node itself on HGX, the rack on NVL72. */
  readonly nvlink: string;
}

export interface GpuFacts {
  readonly uuid: string;
  readonly model: string;
  readonly memoryMiB: number;
}

/** The description of a machine that its engine reports. */
export interface NodeFacts {
  readonly name: string;
  readonly engine: string;
  readonly place: NodeLocation;
  readonly gpus: readonly GpuFacts[];
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** How its GPUs may be partitioned; absent = whole only. */
  readonly pool?: PoolMode;
  /** True if the GPUs are declared and not detected: there is no hardware behind them. */
  readonly virtual: boolean;
  /** Changes when the machine restarts; everything that ran before a change is dead. */
  readonly bootId: string;
  /** Reachable address for the members of a gang. */
  readonly address: string;
}

/** A time in which a node is planned to be out of use [B5]. */
export interface MaintenanceWindow {
  readonly from: Instant;
  readonly to: Instant;
  readonly reason: string;
  /** The time zone in which the times were given; for display only. */
  readonly zone?: string;
  /** The window has begun: the node is out of use because of it. */
  readonly active?: true;
}

export interface FleetNode {
  readonly no: NodeNo;
  facts: NodeFacts;
  readonly firstGpu: GpuNo;
  readonly addedAt: Instant;
  mode: NodeMode;
  reason: string;
  /** When a drain stops the jobs that are still there; 0 = it waits for ever. */
  drainUntil: Instant;
  /** Its maintenance windows, earliest first; absent if there are none. */
  maintenance?: readonly MaintenanceWindow[] | undefined;
  revision: number;
  /** When its mode last changed. */
  changedAt: Instant;
  freeCpusMilli: number;
  freeMemoryMiB: number;
  /** Held by leases that have been asked to stop. */
  leavingCpusMilli: number;
  leavingMemoryMiB: number;
  /** Live leases on this node. */
  leases: number;
}
