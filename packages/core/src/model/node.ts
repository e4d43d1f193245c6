import type { GpuNo, NodeNo } from "./ids.ts";
import type { PoolMode, Sharing } from "./part.ts";
import type { Instant } from "./units.ts";

/**
 * `up` takes work; `cordoned` keeps what it has and takes nothing new; `draining` is being emptied; `maintenance` is
 * empty and in the owner's hands; `down` is lost.
 */
export type OwnMode = "up" | "cordoned" | "draining" | "maintenance" | "down";

/** `unknown` keeps what it has and takes nothing new: whether it still runs cannot be seen. */
export type NodeMode = OwnMode | "unknown";

/** The location of a node, widest domain first; topology constraints compare it. */
export interface NodeLocation {
  /** Absent where the engine knows of one region only. */
  readonly region?: string;
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

/** What jobs may ask for on a node beyond a number of GPUs, cores and memory. */
export interface NodeOffers {
  /** Runs container images; and jobs that name none. */
  readonly images: boolean;
  readonly withoutImage: boolean;
  readonly isolation: readonly ("whole" | "mig" | "mps" | "timeslice")[];
  /** Takes `workdir` as an absolute directory of the node. */
  readonly workdir: boolean;
  /** Brings the user's files to the work folder: `code` and `venv`. */
  readonly code: boolean;
  readonly mounts: boolean;
}

/** What its engine says of a node that takes no new work: `unknown` = whether it still runs cannot be seen. */
export interface NodeCondition {
  readonly state: "cordoned" | "unknown";
  readonly reason: string;
}

/** The description of a machine that its engine reports. */
export interface NodeFacts {
  /** Unique within its engine. */
  readonly name: string;
  readonly engine: string;
  readonly place: NodeLocation;
  readonly gpus: readonly GpuFacts[];
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** How its GPUs may be partitioned if its pool says nothing of it; absent = whole only. What holds: `FleetNode.sharing`. */
  readonly pool?: PoolMode;
  /** True if the GPUs are declared and not detected: there is no hardware behind them. */
  readonly virtual: boolean;
  /** Changes when the machine restarts; everything that ran before a change is dead. */
  readonly bootId: string;
  /** Reachable address for the members of a gang. */
  readonly address: string;
  /** What its owner says of it, by key: jobs and pools choose nodes by labels. */
  readonly labels?: { readonly [key: string]: string };
  /** Absent = everything that its engine can do; so are all nodes of journals from before there were several engines. */
  readonly offers?: NodeOffers;
  /** Absent = it takes work. */
  readonly condition?: NodeCondition;
  /** GPUs, by uuid, that are there and cannot be offered: others use them, or they are not healthy. */
  readonly withheld?: readonly string[];
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
  /** How its GPUs are shared, now. */
  sharing: Sharing;
  readonly addedAt: Instant;
  /** What its owner said of it, and what the control plane said in the owner's place. */
  own: { readonly mode: OwnMode; readonly reason: string };
  /** The same, or what its engine says of a node that is up for its owner. */
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
