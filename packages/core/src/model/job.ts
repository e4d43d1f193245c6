import type { AccountNo, GpuNo, JobId, JobNo, NodeNo, UserId } from "./ids.ts";
import type { Lease } from "./lease.ts";
import type { PartSeat } from "./part.ts";
import { hour, type Instant } from "./units.ts";

export type JobType = "train" | "service" | "notebook" | "batch";
export type Isolation = "whole" | "mig" | "mps" | "timeslice" | "any";

/** What a GPU must be able to do besides computing: trace rays, encode or decode video. */
export const gpuNeeds = ["rt", "nvenc", "nvdec"] as const;
export type GpuNeed = (typeof gpuNeeds)[number];

/** The model that a job serves or trains, as it was given; its GPUs were chosen to hold it. */
export interface ModelAsk {
  readonly name: string;
  readonly precision?: string;
  readonly context?: number;
  readonly requests?: number;
  readonly tuning?: string;
  readonly batch?: number;
}

/** One acceptable choice of GPUs for a member. `unitsEach` is `unitsPerGpu` for whole GPUs. */
export interface GpuAsk {
  /** A model or a prefix of one (`H100` matches `H100-80GB`); `*` = any. */
  readonly model: string;
  readonly count: number;
  /** Compute of each; 0 where only the device it lands on can tell. */
  readonly unitsEach: number;
  /** A part of one GPU instead of whole ones; `count` is 1 then. */
  readonly part?: {
    readonly profile?: string;
    readonly compute: number;
    readonly memory: number;
    readonly memoryMiB: number;
  };
}

/** How many members, and whether they must be on different nodes. Elastic when `max > min`. */
export interface Members {
  readonly min: number;
  readonly max: number;
  readonly apart: boolean;
}

/** Members in one place of a level: required, or only preferred. */
export interface TopologyAsk {
  readonly level: "zone" | "block" | "rack" | "nvlink" | "node";
  readonly required: boolean;
}

export type RetryCause = "failed" | "node_lost" | "preempted";

export interface Retry {
  /** How often the job may start again after its own failure. Losing a node or being preempted does not count. */
  readonly max: number;
  readonly when: readonly RetryCause[];
}

export interface Checkpoint {
  readonly dir?: string;
  /** Sent first when the job must leave. */
  readonly signal: string;
  readonly graceMs: number;
  readonly everyMs?: number;
}

export interface After {
  readonly job: JobId;
  readonly when: "succeeded" | "ended";
}

/** What a job that answers requests promises: 99 of 100 are answered in that time. */
export interface Slo {
  /** What it takes them with nobody beside the job, on the part of a GPU that it asks for; absent = not known. */
  readonly aloneMs?: number;
  readonly p99Ms: number;
}

/** Elements `first, first + step … last` of an array, at most `atOnceMax` at the same time. */
export interface ArrayAsk {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly atOnceMax?: number;
}

/** What was asked, checked and in whole units. Immutable after submission; the journal keeps it as it is. */
export interface JobSpec {
  readonly name: string;
  readonly type: JobType;
  readonly image?: string;
  readonly workdir?: string;
  readonly setup?: string;
  readonly run: string;
  /** Alternatives in order of preference; never empty. `count: 0` is a job without GPUs. */
  readonly gpus: readonly GpuAsk[];
  readonly members: Members;
  readonly topology?: TopologyAsk;
  /** Members in different places of a level, at most one in each, or as many different ones as there are. */
  readonly spread?: TopologyAsk;
  /** Names of jobs of its account with which it shares no node; absent = it does not mind. */
  readonly apartFrom?: readonly string[];
  /** Per member. 0 = not asked for, not limited. */
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** The least memory that each GPU must have; 0 = any. */
  readonly gpuMemoryMiB: number;
  readonly isolation: Isolation;
  /** What each GPU must be able to do; absent = nothing in particular. */
  readonly needs?: readonly GpuNeed[];
  readonly model?: ModelAsk;
  /** Refuse to start where a limit cannot be enforced. */
  readonly strict: boolean;
  readonly maxTimeMs?: number;
  /** How long its user thinks it runs; a guess, and no limit. */
  readonly expectedMs?: number;
  /** The most that an hour of one whole GPU may cost where it borrows; absent = any price. */
  readonly maxPriceMicros?: number;
  /** What all its attempts together may cost, by `jobCost`; absent = anything. */
  readonly budgetMicros?: number;
  readonly deadlineAt?: Instant;
  readonly notBeforeAt?: Instant;
  /** The zone in which the times above were given; only ever shown. */
  readonly zone?: string;
  readonly priority: number;
  readonly preemptible: boolean;
  readonly retry: Retry;
  readonly checkpoint?: Checkpoint;
  /** Nobody is put beside it who would break this, and it beside nobody. */
  readonly slo?: Slo;
  readonly array?: ArrayAsk;
  readonly after: readonly After[];
  readonly env: { readonly [name: string]: string };
  /** Names only; the values are fetched when the job starts and never reach the journal. */
  readonly secrets: readonly string[];
}

/** Where a live job stands. Ended jobs leave memory; how they ended is in the projections. */
export type JobState = "waiting" | "starting" | "running" | "stopping";

export type JobOutcome =
  | "succeeded"
  | "failed"
  | "cancelled"
  | "timed-out"
  | "infra-failed"
  | "preempted"
  | "dependency-failed"
  | "deadline-passed"
  | "over-budget";

export type JobClass = "guaranteed" | "burst";

/** Why members are being stopped, hence what becomes of the job when they are gone. */
/** `shrink` asks a single extra member to leave; its job goes on. `move`: it comes back on seats held for it (T9). */
export type StopCause =
  | "shrink"
  | "cancel"
  | "time-limit"
  | "deadline"
  | "preempt"
  | "move"
  | "drain"
  /** The budget of an account, or what an hour costs: it waits until that has changed. */
  | "budget"
  /** Its own budget is used up: it does not come back. */
  | "spent"
  | "member-failed"
  | "node-lost";

/** One start of a job that is over. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly seats: readonly { readonly node: number; readonly gpus: readonly number[]; readonly part?: PartSeat }[];
  readonly placedAt: Instant;
  /** 0 = it never ran. */
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** Why it is over: the cause of a requeue, or how the job ended. */
  readonly result: string;
  /** For its user: who needed the room, in words that name nobody. */
  readonly why?: string;
  readonly exitCode?: number;
}

/** What is held for a job until its victims are gone; for a job that is being moved, until its old seat is (T9). */
export interface Claim {
  readonly choice: number;
  /** The account whose guarantee it claimed by; absent = it claimed as burst. */
  readonly cover?: AccountNo;
  readonly unitsEach: number;
  readonly seats: readonly { readonly node: NodeNo; readonly gpus: readonly GpuNo[]; readonly part?: PartSeat }[];
}

/** As many evictions as it takes to shield a job (T8). */
export const evictionsKept = 3;

/** Until when a job is left alone that was taken three times within an hour (T8); 0 = it was not. */
export function shieldedUntil({ evictedAt }: Pick<Job, "evictedAt">): Instant {
  const first = evictedAt[0];
  const third = evictedAt[2];
  return first !== undefined && third !== undefined && third - first <= hour ? third + hour : 0;
}

/** More attempts than this are not remembered one by one; the journal still has them. */
export const attemptsKept = 20;

export interface Job {
  readonly no: JobNo;
  /** Its place in the columns of the state while it is live; derived, and never stored. */
  slot: number;
  readonly id: JobId;
  readonly spec: JobSpec;
  readonly account: AccountNo;
  readonly user: UserId;
  readonly submittedAt: Instant;
  /** The array this job is an element of. */
  readonly array?: JobNo;
  readonly index?: number;
  state: JobState;
  held: boolean;
  /** Counts starts from 1; the attempt that a waiting job will be. */
  attempt: number;
  /** Restarts after its own failure, compared with `retry.max`. */
  failures: number;
  evictions: number;
  /** Retry back-off or `not_before`; 0 = at once. */
  notBeforeAt: Instant;
  /** Which alternative of `spec.gpus` it holds while not waiting. */
  choice: number;
  class: JobClass;
  cover: AccountNo;
  leases: Lease[];
  /** Seats that are being made free for it while it waits (T7), or to which it is being moved (T9). */
  claim?: Claim;
  /** When it was last evicted, newest last; three within an hour shield it (T8). */
  evictedAt: readonly Instant[];
  /** Where the present attempt was placed, by rank; stays when members end. */
  seats: readonly { readonly node: number; readonly gpus: readonly number[]; readonly part?: PartSeat }[];
  attempts: AttemptRecord[];
  /** How long those attempts ran that are no longer remembered one by one; absent while all are. */
  ranBeforeMs?: number;
  /** The instant of the last start of an attempt, and the start of the first. */
  placedAt: Instant;
  startedAt: Instant;
  /** How long jobs like it took when it was queued or placed; absent where that was not known, or it says itself. */
  usualMs?: number;
  /** How long what waited in its account when it came would take; absent where its order does not ask, or it says no time. */
  backlogMs?: number;
  stopCause?: StopCause;
  /** For its user, while it is being evicted: who needs the room. */
  stopWhy?: string;
  /** The first member that ended badly decides the exit code of the job. */
  exitCode?: number;
  /** What the engine said of the first member that ended badly. */
  endReason?: string;
  /** Dependencies that have not ended yet. */
  waitsFor: number;
}

/** A submitted array while any of its elements lives. */
export interface JobArray {
  readonly no: JobNo;
  readonly id: JobId;
  readonly spec: JobSpec;
  readonly account: AccountNo;
  readonly user: UserId;
  readonly submittedAt: Instant;
  readonly size: number;
  live: number;
  /** Elements that hold leases, compared with `atOnceMax`. */
  active: number;
  succeeded: number;
  exitCodeMax: number;
}

/** Of a job that was given none. */
export const plainName = "job";
