import type { Egress } from "./egress.ts";
import type { IdleRule } from "./idle.ts";
import type { AccountNo, GpuNo, JobId, JobNo, NodeNo, UserId } from "./ids.ts";
import type { Labels } from "./labels.ts";
import type { Lease } from "./lease.ts";
import type { KeptOutput } from "./output.ts";
import type { PartSeat } from "./part.ts";
import { hour, type Instant } from "./units.ts";

/** How a person goes inside a member: a command, a shell at a terminal, a forwarded port, a page in a browser. */
export type EntryKind = "exec" | "terminal" | "port" | "page";

export type JobType = "train" | "service" | "notebook" | "batch";
export type Isolation = "whole" | "mig" | "mps" | "timeslice" | "any";

/** What a GPU must be able to do besides computing: trace rays, encode or decode video. */
export const gpuNeeds = ["rt", "nvenc", "nvdec"] as const;
export type GpuNeed = (typeof gpuNeeds)[number];

/** The language model that a job serves or trains, as the user gave it; the GPUs are sized to hold it. */
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
  /** Compute of each; 0 where it depends on the device that is chosen. */
  readonly unitsEach: number;
  /** A part of one GPU instead of whole ones; `count` is 1 then. */
  readonly part?: {
    readonly profile?: string;
    readonly compute: number;
    readonly memory: number;
    readonly memoryMiB: number;
  };
}

/** The number of members, and whether they must be on different nodes. Elastic when `max > min`. */
export interface Members {
  readonly min: number;
  readonly max: number;
  readonly apart: boolean;
}

/** All members in one domain of a level: required, or only preferred. */
export interface TopologyAsk {
  readonly level: "region" | "zone" | "block" | "rack" | "nvlink" | "node";
  readonly required: boolean;
}

export type RetryCause = "failed" | "node_lost" | "preempted";

export interface Retry {
  /** How often the job may start again after its own failure. Losing a node, a neighbour's fault or being preempted does not. */
  readonly max: number;
  readonly when: readonly RetryCause[];
}

export interface Checkpoint {
  readonly dir?: string;
  /** Sent first when the job must stop. */
  readonly signal: string;
  readonly graceMs: number;
  readonly everyMs?: number;
}

export interface After {
  readonly job: JobId;
  readonly when: "succeeded" | "ended";
}

/** The latency that a service promises: 99 of 100 requests are answered within `p99Ms` [P5]. */
export interface Slo {
  /** The same latency without neighbours, on the part of a GPU that the job asks for; absent = not known. */
  readonly aloneMs?: number;
  readonly p99Ms: number;
}

/** Elements `first, first + step … last` of an array, or those listed, at most `atOnceMax` at the same time. */
export interface ArrayAsk {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly atOnceMax?: number;
  /** Where they are no single range: all of them, in ascending order from `first` to `last`. */
  readonly indexes?: readonly number[];
}

/** How many elements an array has. */
export function elementsOf({ first, last, step, indexes }: ArrayAsk): number {
  return indexes?.length ?? Math.floor((last - first) / step) + 1;
}

/** The index of the element that comes `i` after the first. */
export function elementAt({ first, step, indexes }: ArrayAsk, i: number): number {
  return indexes?.[i] ?? first + i * step;
}

/** What lies in the work folder of each member when an attempt starts: a snapshot, or what a repository holds then. */
export type Code =
  | {
      /** The id of a tree in the content of the job's tenant. */
      readonly tree: string;
      /** The commit that the folder was at, and whether it held changes beside it. */
      readonly commit?: string;
      readonly dirty?: boolean;
      /** The folder that was sent, as its sender calls it. */
      readonly from?: string;
    }
  | { readonly git: string; readonly ref?: string };

/** A virtual environment or conda prefix on the node, whose programs come first. */
export interface Venv {
  readonly path: string;
  /** Where the job cannot use it, the job runs without it and its log says why. */
  readonly optional?: boolean;
}

/** The request of a job, checked and in whole units. Immutable after submission; the journal keeps it as it is. */
export interface JobSpec {
  readonly name: string;
  readonly type: JobType;
  readonly image?: string;
  /** A folder of the node in which the job runs. */
  readonly workdir?: string;
  /** The job must be able to write in `workdir`. */
  readonly inPlace?: true;
  readonly code?: Code;
  readonly venv?: Venv;
  readonly setup?: string;
  readonly run: string;
  /** Alternatives in order of preference; never empty. `count: 0` is a job without GPUs. */
  readonly gpus: readonly GpuAsk[];
  readonly members: Members;
  readonly topology?: TopologyAsk;
  /** Members in different domains of a level [P7]: at most one in each if required, else as evenly as possible. */
  readonly spread?: TopologyAsk;
  /** Only nodes of this engine, in this region, with all of these labels; absent = any. */
  readonly engine?: string;
  readonly region?: string;
  readonly where?: { readonly [key: string]: string };
  /** Names of jobs of its account with which it shares no node [P8]; absent = no restriction. */
  readonly apartFrom?: readonly string[];
  /** Per member. 0 = not requested, not limited. */
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** Which of the two the job did not name: they are the owner's usual ones for members without GPUs [C6]. */
  readonly usual?: { readonly cpus?: true; readonly memory?: true };
  /** The size of /dev/shm of each member, which counts in its memory; absent = the engine's default. */
  readonly shmMiB?: number;
  /** What the work, temporary and output folders of each member may hold; absent = the limit of its accounts. */
  readonly scratchMiB?: number;
  /** What is shown where: `vol:NAME`, `vol:ACCOUNT/NAME`, or `job:ID/OUTPUT`; absent = nothing. */
  readonly mounts?: { readonly [at: string]: string };
  /** What its user calls it by, for finding it again; no decision looks at them. Absent = none. */
  readonly labels?: Labels;
  /** What it is for, in a word: grants of data may ask for it; absent = it does not say. */
  readonly purpose?: string;
  /** What is kept after its end, by name: a pattern of paths; absent = what it wrote, by `outputUndeclared`. */
  readonly outputs?: { readonly [name: string]: string };
  /** What it may reach beyond its gang; absent = what its accounts allow. */
  readonly egress?: Egress;
  /** What becomes of it while its GPUs are idle; absent = what its accounts say. */
  readonly idle?: IdleRule;
  /** The least memory that each GPU must have; 0 = any. */
  readonly gpuMemoryMiB: number;
  readonly isolation: Isolation;
  /** What each GPU must be able to do besides computing; absent = nothing. */
  readonly needs?: readonly GpuNeed[];
  readonly model?: ModelAsk;
  /** Refuse to start where a limit cannot be enforced. */
  readonly strict: boolean;
  readonly maxTimeMs?: number;
  /** The user's estimate of the run time; not a limit. */
  readonly expectedMs?: number;
  /** The highest price of an hour of one whole GPU at which it may borrow; absent = any price. */
  readonly maxPriceMicros?: number;
  /** The most that all its attempts together may cost, by `jobCost`; absent = no limit. */
  readonly budgetMicros?: number;
  readonly deadlineAt?: Instant;
  readonly notBeforeAt?: Instant;
  /** The time zone in which the times above were given; for display only. */
  readonly zone?: string;
  readonly priority: number;
  readonly preemptible: boolean;
  readonly retry: Retry;
  readonly checkpoint?: Checkpoint;
  /** No job is placed beside it that would break this promise, nor it beside such a job [P5]. */
  readonly slo?: Slo;
  readonly array?: ArrayAsk;
  readonly after: readonly After[];
  readonly env: { readonly [name: string]: string };
  /** Names only; the values are fetched when the job starts and never reach the journal. */
  readonly secrets: readonly string[];
}

/** The state of a live job. Ended jobs leave memory; how they ended is in the projections. */
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

/**
 * Why members are being stopped; it decides what becomes of the job afterwards. `shrink` stops a single extra member,
 * and its job goes on. `move`: the job restarts on seats that are held for it [T9].
 */
export type StopCause =
  | "shrink"
  | "cancel"
  | "time-limit"
  | "deadline"
  | "preempt"
  | "move"
  | "drain"
  /** The budget of an account is spent, or the price is above the job's limit: the job waits until that changes. */
  | "budget"
  /** Its own budget is used up: it does not come back. */
  | "spent"
  /** Its user suspends it: it waits, held. */
  | "suspend"
  /** Its user sends it back to the queue. */
  | "requeue"
  /** Its GPUs were idle for its limit [L4]: it does not come back. */
  | "idle"
  | "member-failed"
  | "node-lost"
  /** Its node or one of its GPUs has a fault: it starts elsewhere [H3]. */
  | "unhealthy"
  /** A fault of another job on the same GPU ended one of its members [L3]. */
  | "neighbour-fault";

/** A finished attempt of a job. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly seats: readonly { readonly node: number; readonly gpus: readonly number[]; readonly part?: PartSeat }[];
  readonly placedAt: Instant;
  /** 0 = it never ran. */
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** Why it ended: the cause of a requeue, or the outcome of the job. */
  readonly result: string;
  /** For its user: why the room was needed, without naming other accounts. */
  readonly why?: string;
  readonly exitCode?: number;
}

/** Seats held for a job until its victims have stopped [T7], or for a moved job until its old seat is free [T9]. */
export interface Claim {
  readonly choice: number;
  /** The account whose guarantee covers the claim; absent = it claimed as burst. */
  readonly cover?: AccountNo;
  readonly unitsEach: number;
  readonly seats: readonly { readonly node: NodeNo; readonly gpus: readonly GpuNo[]; readonly part?: PartSeat }[];
}

/** The number of evictions after which a job is shielded [T8]; older ones are not kept. */
export const evictionsKept = 3;

/** The instant until which a job evicted three times within an hour may not be evicted again [T8]; 0 = not shielded. */
export function shieldedUntil({ evictedAt }: Pick<Job, "evictedAt">): Instant {
  const first = evictedAt[0];
  const third = evictedAt[2];
  return first !== undefined && third !== undefined && third - first <= hour ? third + hour : 0;
}

/** Older attempts are not kept one by one; the journal still has them. */
export const attemptsKept = 20;

export interface Job {
  readonly no: JobNo;
  /** Its index in the columns of the state while it is live; derived, and never stored. */
  slot: number;
  readonly id: JobId;
  /** Replaced as a whole when its labels change. */
  spec: JobSpec;
  readonly account: AccountNo;
  readonly user: UserId;
  readonly submittedAt: Instant;
  /** The array this job is an element of. */
  readonly array?: JobNo;
  readonly index?: number;
  state: JobState;
  held: boolean;
  /** The number of the attempt, from 1; for a waiting job that of its next start. */
  attempt: number;
  /** Restarts after its own failure, compared with `retry.max`. */
  failures: number;
  evictions: number;
  /** A fault on a GPU that it shared by MPS ended it: since then it shares no MPS server with another job [L3]. */
  alone?: true;
  /** The end of the retry back-off, or `not_before`; 0 = may start at once. */
  notBeforeAt: Instant;
  /** The alternative of `spec.gpus` that it holds while not waiting. */
  choice: number;
  class: JobClass;
  cover: AccountNo;
  leases: Lease[];
  /** Seats that are being freed for it while it waits [T7], or to which it is being moved [T9]. */
  claim?: Claim;
  /** The instants of its last evictions, newest last; three within an hour shield it [T8]. */
  evictedAt: readonly Instant[];
  /** The seats of the present attempt, by rank; kept when members end. */
  seats: readonly { readonly node: number; readonly gpus: readonly number[]; readonly part?: PartSeat }[];
  attempts: AttemptRecord[];
  /** The total run time of attempts that are no longer kept one by one; absent while all are kept. */
  ranBeforeMs?: number;
  /** When the present attempt was placed, and when its first member started; 0 = not yet. */
  placedAt: Instant;
  startedAt: Instant;
  /** The usual run time of similar jobs when it was queued or placed [B1]; absent if unknown, or if the job declares one. */
  usualMs?: number;
  /** How long the jobs waiting in its account at its arrival would take [O3]; absent if its order does not use it. */
  backlogMs?: number;
  stopCause?: StopCause;
  /** For its user, while it is being evicted: why the room is needed. */
  stopWhy?: string;
  /** It was cancelled by force: nothing is left of its grace. */
  forced?: true;
  /** The exit code of the first member that failed; it becomes the job's. */
  exitCode?: number;
  /** The engine's reason for the failure of that member. */
  endReason?: string;
  /** What the driver said of a fault of its own program in the present attempt: the reason of a bad end [H2]. */
  fault?: string;
  /** Rank 0 of the present attempt has ended and had written the done file [L1]. */
  done?: true;
  /** What members of the present attempt that have ended kept; absent = nothing. */
  outputs?: readonly KeptOutput[];
  /** The number of dependencies that have not ended yet. */
  waitsFor: number;
}

/** A submitted array while any of its elements is live. */
export interface JobArray {
  readonly no: JobNo;
  readonly id: JobId;
  spec: JobSpec;
  readonly account: AccountNo;
  readonly user: UserId;
  readonly submittedAt: Instant;
  readonly size: number;
  live: number;
  /** Elements that hold leases, compared with `atOnceMax`. */
  active: number;
  succeeded: number;
  exitCodeMax: number;
  /** Of a long array while some elements are not made; absent = all were made when it was submitted. */
  later?: LaterElements | undefined;
}

/**
 * The elements of an array that exist only as numbers: each is made when one before it starts, ends or is held. They
 * count as waiting wherever jobs are counted or shown.
 */
export interface LaterElements {
  /** How many elements are to wait for their first start at a time. */
  readonly window: number;
  /** How many do. */
  fresh: number;
  /** The place in the array of the next one to make. */
  next: number;
  /** Places beyond it of elements that were made out of turn, because a command named them; ascending. */
  ahead: readonly number[];
  /** The array is held as a whole: elements are held when they are made. */
  held: boolean;
  /** The estimates that all elements share [B1, O3]. */
  usualMs?: number | undefined;
  backlogMs?: number | undefined;
}

/** The name of a job that was given none. */
export const plainName = "job";

/** When the present attempt of a job began: when its members started, or before that when it was placed. */
export function beginOf({ startedAt, placedAt }: Job): Instant {
  return startedAt > 0 ? startedAt : placedAt;
}
