import type { JobClass } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { UsageState } from "../model/usage.ts";

/** One stretch of one lease in one state: who held which part of which devices, from when to when. */
export interface Usage {
  /** Names the stretch: the same lease, state and beginning is the same stretch, told again or corrected. */
  readonly lease: string;
  readonly state: UsageState;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Of two tellings of one stretch the higher counts. */
  readonly revision: number;
  readonly job: string;
  /** Account path; its first part is the tenant, who pays. */
  readonly account: string;
  readonly user: string;
  readonly node: string;
  readonly gpus: readonly string[];
  readonly model: string;
  /** On each of `gpus`. */
  readonly unitsEach: number;
  /** The MIG profile; empty where the part is not one. */
  readonly profile: string;
  readonly isolation: "whole" | "mig" | "mps" | "timeslice";
  /** The level that the job required, which is what excludes others; empty = none. */
  readonly topology: string;
  readonly class: JobClass;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** From `at` on an account is promised this much, children's floors included; nothing once it is deleted. */
export interface FloorChange {
  readonly account: string;
  readonly at: Instant;
  /** Of two changes at one instant the higher counts. */
  readonly revision: number;
  /** Units by entry of the quota: a model, a family or `*`. */
  readonly guarantee: { readonly [entry: string]: number };
  /** How much of it outsiders may use while it is idle; absent = all. */
  readonly lendable?: { readonly [entry: string]: number };
}

/** From `at` on so much more (or less) of a model is there: nodes that are down or in maintenance are not. */
export interface CapacityChange {
  readonly model: string;
  readonly at: Instant;
  readonly revision: number;
  readonly unitsAdded: number;
}

/** Work that an eviction or a lost node destroyed. */
export interface LostWork {
  readonly lease: string;
  readonly job: string;
  readonly account: string;
  readonly model: string;
  readonly units: number;
  readonly at: Instant;
  /** Since the last checkpoint, or since the start. */
  readonly lostMs: number;
  /** The grace that the job was promised: the most that is credited. */
  readonly graceMs: number;
  readonly cause: "preempted" | "node_lost";
}

/** Everything that a period is rated from, in any order. */
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
