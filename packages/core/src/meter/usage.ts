import type { JobClass } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { UsageState } from "../model/usage.ts";

/** Input of billing: GPUs of one lease in one state, from `fromAt` to `toAt`. Derived from a `Stretch`. */
export interface Usage {
  /** Lease, state and `fromAt` together identify a usage; a second record with the same three corrects the first. */
  readonly lease: string;
  readonly state: UsageState;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Of two records of the same usage the one with the higher revision counts. */
  readonly revision: number;
  readonly job: string;
  /** Account path; its first segment is the tenant, which pays. */
  readonly account: string;
  readonly user: string;
  readonly node: string;
  readonly gpus: readonly string[];
  readonly model: string;
  /** Held on each of `gpus`. */
  readonly unitsEach: number;
  /** The MIG profile; empty for whole GPUs and for other kinds of parts. */
  readonly profile: string;
  readonly isolation: "whole" | "mig" | "mps" | "timeslice";
  /** The topology level that the job required; empty = none. */
  readonly topology: string;
  readonly class: JobClass;
  /** The pool of the node when the lease began, and what the price beyond the floor is multiplied by; absent = none. */
  readonly pool?: string;
  readonly poolPerMille?: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** From `at` on an account is guaranteed this much, its children's guarantees included; nothing once it is deleted. */
export interface FloorChange {
  readonly account: string;
  readonly at: Instant;
  /** Of two changes at one instant the higher counts. */
  readonly revision: number;
  /** Units by quota entry: a model, a family or `*`. */
  readonly guarantee: { readonly [entry: string]: number };
  /** How much of it other tenants may use while it is idle; absent = all. */
  readonly lendable?: { readonly [entry: string]: number };
}

/** From `at` on the fleet has `unitsAdded` more of a model. Nodes that are down or in maintenance do not count. */
export interface CapacityChange {
  readonly model: string;
  readonly at: Instant;
  readonly revision: number;
  readonly unitsAdded: number;
}

/** Work that a preemption, a lost node, a fault of a node or that of a neighbour destroyed. */
export interface LostWork {
  readonly lease: string;
  readonly job: string;
  readonly account: string;
  readonly model: string;
  readonly units: number;
  readonly at: Instant;
  /** Time since the last checkpoint, or since the start. */
  readonly lostMs: number;
  /** The most that is credited: the owner's `lostWorkMsMax`, else the grace that the job was promised. */
  readonly graceMs: number;
  readonly cause: "preempted" | "node_lost" | "node_fault" | "neighbour_fault";
  /** As of a usage. */
  readonly pool?: string;
  readonly poolPerMille?: number;
}

/** Everything that a period is rated from. The order of the lists does not matter. */
export interface Metered {
  readonly usage: readonly Usage[];
  readonly floors: readonly FloorChange[];
  readonly capacity: readonly CapacityChange[];
  readonly lost: readonly LostWork[];
}

/** The tenant of an account path. */
export function tenantOfPath(account: string): string {
  const slash = account.indexOf("/");
  return slash < 0 ? account : account.slice(0, slash);
}
