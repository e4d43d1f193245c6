import type { GpuNo, NodeNo } from "./ids.ts";
import type { PoolMode } from "./part.ts";
import type { Instant } from "./units.ts";

/**
 * `up` takes work; `cordoned` keeps what it has and takes nothing new; `draining` is being emptied; `maintenance` is
 * empty and in the owner's hands; `down` is lost.
 */
export type NodeMode = "up" | "cordoned" | "draining" | "maintenance" | "down";

/** Where a node stands, widest first; what topology constraints compare. */
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

/** What an engine says of a machine. */
export interface NodeFacts {
  readonly name: string;
  readonly engine: string;
  readonly place: NodeLocation;
  readonly gpus: readonly GpuFacts[];
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** How its GPUs may be given out; absent = whole only. */
  readonly pool?: PoolMode;
  /** True when the GPUs are declared, not found: nothing stands behind them. */
  readonly virtual: boolean;
  /** Changes when the machine restarts; whatever ran before a change is surely dead. */
  readonly bootId: string;
  /** Reachable address for the members of a gang. */
  readonly address: string;
}

/** A time in which a node is planned to be out of use. */
export interface MaintenanceWindow {
  readonly from: Instant;
  readonly to: Instant;
  readonly reason: string;
  /** The zone in which the times were given; only ever shown. */
  readonly zone?: string;
  /** The node is out of use because of it. */
  readonly active?: true;
}

export interface FleetNode {
  readonly no: NodeNo;
  facts: NodeFacts;
  readonly firstGpu: GpuNo;
  readonly addedAt: Instant;
  mode: NodeMode;
  reason: string;
  /** When a drain gives up waiting and stops what is left; 0 = it waits for ever. */
  drainUntil: Instant;
  /** When it will be out of use, earliest first; absent where that is not planned. */
  maintenance?: readonly MaintenanceWindow[] | undefined;
  revision: number;
  /** When its mode last changed. */
  changedAt: Instant;
  freeCpusMilli: number;
  freeMemoryMiB: number;
  /** Held by those who have been told to leave. */
  leavingCpusMilli: number;
  leavingMemoryMiB: number;
  /** Live leases on this node. */
  leases: number;
}
