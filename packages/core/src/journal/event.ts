import type { Role, TokenLimits } from "../model/access.ts";
import type { AccountTerms, QuotaWindow } from "../model/account.ts";
import type { EngineTerms } from "../model/engine.ts";
import type { ExchangeTerms } from "../model/exchange.ts";
import type { IdleAction } from "../model/idle.ts";
import type { AccountId, AccountNo, GpuNo, JobId, JobNo, LeaseId, NodeNo, TokenId, UserId } from "../model/ids.ts";
import type { EntryKind, JobClass, JobOutcome, JobSpec, StopCause } from "../model/job.ts";
import type { Labels } from "../model/labels.ts";
import type { MaintenanceWindow, NodeFacts, OwnMode } from "../model/node.ts";
import type { KeptOutput } from "../model/output.ts";
import type { PartSeat } from "../model/part.ts";
import type { Policy } from "../model/policy.ts";
import type { PoolTerms } from "../model/pool.ts";
import type { ProviderTerms, ScimToken } from "../model/provider.ts";
import type { Instant } from "../model/units.ts";
import type { VolumeTerms } from "../model/volume.ts";
import type { Head } from "./head.ts";
import type { HealthEvent } from "./health-event.ts";
import type { MoneyEvent } from "./money-event.ts";
import type { TrailEvent } from "./trail-event.ts";

/**
 * A decision. `apply` only writes events into the state and never recomputes policy, so today's journal gives the same
 * state under every later version. A changed format gets a new `v` and an upcaster in `upcast.ts`.
 */
export type Event =
  | NodeAdded
  | NodeChanged
  | NodeRemoved
  | MaintenancePlanned
  | HealthEvent
  | EngineChanged
  | EngineReached
  | PoolChanged
  | AccountCreated
  | AccountEdited
  | AccountDeleted
  | UserCreated
  | UserChanged
  | ProviderChanged
  | ScimChanged
  | ExchangeChanged
  | RoleBound
  | RoleUnbound
  | TokenCreated
  | TokenExpiring
  | TokenRevoked
  | SecretChanged
  | VolumeChanged
  | JobSubmitted
  | ElementsMade
  | JobHeld
  | JobEntered
  | JobIdle
  | JobEdited
  | JobLabelled
  | JobPlanned
  | PlanDropped
  | JobPlaced
  | JobClaimed
  | ClaimDropped
  | JobClassed
  | JobGrown
  | LeaseScrubbed
  | LeaseReshaped
  | LeasePrepared
  | LeaseStarted
  | LeaseStopping
  | LeaseEnded
  | JobRequeued
  | JobEnded
  | KeyUsed
  | PolicySet
  | MoneyEvent
  | TrailEvent
  | AuditNoted
  | EpochBegan
  | TurnTaken;

export interface NodeAdded extends Head<"node-added"> {
  readonly node: NodeNo;
  readonly firstGpu: GpuNo;
  readonly facts: NodeFacts;
}
export interface NodeChanged extends Head<"node-changed"> {
  readonly node: NodeNo;
  readonly mode: OwnMode;
  readonly reason: string;
  readonly drainUntil: Instant;
  /** Present if the engine reported a change; GPUs are never renumbered. */
  readonly facts?: NodeFacts;
}
/** The node left the fleet, or returns with other GPUs under a new number. It held no lease. */
export interface NodeRemoved extends Head<"node-removed"> {
  readonly node: NodeNo;
}
/** All windows that are not over. The change of the node at a begin or an end is a separate event. */
export interface MaintenancePlanned extends Head<"maintenance-planned"> {
  readonly node: NodeNo;
  readonly windows: readonly MaintenanceWindow[];
}
/** An engine is made or has other terms, or is to leave once nothing runs there; without terms it is gone. */
export interface EngineChanged extends Head<"engine-changed"> {
  readonly engine: string;
  readonly terms?: EngineTerms;
  readonly leaving?: true;
}
/** The server no longer reaches an engine, and why; or reaches it again. */
export interface EngineReached extends Head<"engine-reached"> {
  readonly engine: string;
  readonly away?: string;
}
/** A pool is made or has other terms; without any it is gone. What runs on its nodes goes on. */
export interface PoolChanged extends Head<"pool-changed"> {
  readonly pool: string;
  readonly terms?: PoolTerms;
}
export interface AccountCreated extends Head<"account-created"> {
  readonly account: AccountNo;
  readonly id: AccountId;
  readonly parent: AccountNo;
  readonly path: string;
  readonly terms: AccountTerms;
}
export interface AccountEdited extends Head<"account-edited"> {
  readonly account: AccountNo;
  /** The terms in force from now on. */
  readonly terms: AccountTerms;
  /** If there are windows: the terms without them, and the windows that are not over. */
  readonly base?: AccountTerms;
  readonly windows?: readonly QuotaWindow[];
}
export interface AccountDeleted extends Head<"account-deleted"> {
  readonly account: AccountNo;
}
export interface UserCreated extends Head<"user-created"> {
  readonly user: UserId;
  /** A service account of this account. */
  readonly service?: AccountNo;
}
export interface UserChanged extends Head<"user-changed"> {
  readonly user: UserId;
  readonly disabled: boolean;
}
/** A provider of sign-ins is made or has other terms; without any it is gone. */
export interface ProviderChanged extends Head<"provider-changed"> {
  readonly provider: string;
  readonly terms?: ProviderTerms;
}
/** Tokens of another system are exchanged from now on, or by other terms; without any they no longer are. */
export interface ExchangeChanged extends Head<"exchange-changed"> {
  readonly exchange: string;
  readonly terms?: ExchangeTerms;
}
/** A token will expire within days. */
export interface TokenExpiring extends Head<"token-expiring"> {
  readonly token: TokenId;
  readonly user: UserId;
  readonly expiresAt: Instant;
}
/** The tokens with which the identity system of a provider may speak from now on. */
export interface ScimChanged extends Head<"scim-changed"> {
  readonly provider: string;
  readonly tokens: readonly ScimToken[];
}
export interface RoleBound extends Head<"role-bound"> {
  readonly user: UserId;
  readonly role: Role;
  readonly account: AccountNo;
  /** Given by a rule of this source. */
  readonly from?: string;
}
export interface RoleUnbound extends Head<"role-unbound"> {
  readonly user: UserId;
  readonly role: Role;
  readonly account: AccountNo;
}
export interface TokenCreated extends Head<"token-created">, TokenLimits {
  readonly token: TokenId;
  readonly user: UserId;
  readonly prefix: string;
  readonly hash: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Instant;
  readonly parent?: TokenId;
}
export interface TokenRevoked extends Head<"token-revoked"> {
  readonly token: TokenId;
}
export interface SecretChanged extends Head<"secret-changed"> {
  readonly account: AccountNo;
  readonly name: string;
  readonly present: boolean;
}
/** A volume of the account was made, or is gone where `volume` is absent. */
export interface VolumeChanged extends Head<"volume-changed"> {
  readonly account: AccountNo;
  readonly name: string;
  readonly volume?: VolumeTerms;
}
/** For an array, `job` numbers the array itself and its elements take the numbers that follow. */
export interface JobSubmitted extends Head<"job-submitted"> {
  readonly job: JobNo;
  readonly id: JobId;
  readonly account: AccountNo;
  readonly user: UserId;
  readonly spec: JobSpec;
  /** Dependencies that are still live. */
  readonly waitsFor: readonly JobNo[];
  /** Of an array that is longer than this: so many elements are made now, the others as these start or end [O5]. */
  readonly window?: number;
}
/** Elements of a long array are made out of turn, because a command is about them: one of them, or all that are left. */
export interface ElementsMade extends Head<"elements-made"> {
  readonly array: JobNo;
  readonly element?: JobNo;
}
/** Of a job; or of an array with elements that are not made: of all that wait, and of all that will be made. */
export interface JobHeld extends Head<"job-held"> {
  readonly job: JobNo;
  readonly held: boolean;
}
/** A person went inside a member: a fact for the record, the job goes on as it was. */
export interface JobEntered extends Head<"job-entered"> {
  readonly job: JobNo;
  readonly rank: number;
  readonly user: UserId;
  readonly how: EntryKind;
}
/** The user of a running job is told that it is idle: what will be done, and when; with `notify` no more than this. */
export interface JobIdle extends Head<"job-idle"> {
  readonly job: JobNo;
  readonly since: Instant;
  /** The most that one of its GPUs did since then, and the limit; in ten-thousandths. */
  readonly activity: number;
  readonly below: number;
  readonly actsAt: Instant;
  readonly does: IdleAction;
}
/** A waiting job, or the waiting elements of an array, ask for something else from now on [O3]. */
export interface JobEdited extends Head<"job-edited"> {
  readonly job: JobNo;
  readonly spec: JobSpec;
  /** Its new number, where the change made it larger: it goes behind the jobs that were submitted before the change. */
  readonly as?: JobNo;
}
/** A live job, or an array with its live elements, gets labels and loses others; what it asks for stays. */
export interface JobLabelled extends Head<"job-labelled"> {
  readonly job: JobNo;
  readonly set?: Labels;
  readonly drop?: readonly string[];
}
/** The job cannot start yet and is planned behind the plans before it [B1]. */
export interface JobPlanned extends Head<"job-planned"> {
  readonly job: JobNo;
  /** The earliest start at that moment; the job keeps its place in the order of plans even if the time changes. */
  readonly startsAt: Instant;
}
/** The start of the job can no longer be predicted. A job that leaves the queue loses its plan without this event. */
export interface PlanDropped extends Head<"plan-dropped"> {
  readonly job: JobNo;
}
export interface Seat {
  readonly node: NodeNo;
  readonly gpus: readonly GpuNo[];
  readonly part?: PartSeat;
}
/** The pool of a node when a lease began there, and what the price of use beyond guarantees is multiplied by. */
export interface SeatPool {
  readonly node: NodeNo;
  readonly pool: string;
  readonly perMille: number;
}
/** The job leaves the queue; its leases begin, one per seat, by rank. */
export interface JobPlaced extends Head<"job-placed"> {
  readonly job: JobNo;
  readonly attempt: number;
  /** Index into `spec.gpus`. */
  readonly choice: number;
  readonly unitsEach: number;
  readonly class: JobClass;
  readonly cover: AccountNo;
  readonly seats: readonly Seat[];
  /** GPUs of the seats that last held another tenant's work [S4], and those whose mode must change. */
  readonly scrub?: readonly GpuNo[];
  readonly reshape?: readonly GpuNo[];
  /** The pools of the seats' nodes, with their price then; absent = none is in a pool. */
  readonly pools?: readonly SeatPool[];
}
/** Room is being made: `victims` are asked to stop in the same batch, and these seats are held for the job [T7]. */
export interface JobClaimed extends Head<"job-claimed"> {
  readonly job: JobNo;
  /** The account whose guarantee covers the claim; absent = it claims as burst. */
  readonly cover?: AccountNo;
  readonly choice: number;
  readonly unitsEach: number;
  readonly seats: readonly Seat[];
  readonly victims: readonly JobNo[];
  /** Extra members of elastic jobs that are asked to stop. */
  readonly shrinks?: readonly LeaseId[];
  /** Jobs that move elsewhere: each has a claim for its new seats in the same batch [T9]. */
  readonly moves?: readonly JobNo[];
}
/** The job gives up the seats held for it and waits as before. */
export interface ClaimDropped extends Head<"claim-dropped"> {
  readonly job: JobNo;
  readonly reason: string;
}
/** A running job is promoted to guaranteed, or falls to burst; nothing moves [C3]. */
export interface JobClassed extends Head<"job-classed"> {
  readonly job: JobNo;
  readonly class: JobClass;
  readonly cover: AccountNo;
}
/** An elastic job gets more members while it runs; their ranks follow the existing ones. */
export interface JobGrown extends Head<"job-grown"> {
  readonly job: JobNo;
  readonly unitsEach: number;
  readonly seats: readonly Seat[];
  readonly scrub?: readonly GpuNo[];
  readonly reshape?: readonly GpuNo[];
  /** The pools of the seats' nodes, with their price then; absent = none is in a pool. */
  readonly pools?: readonly SeatPool[];
}
/** The engine has scrubbed the GPUs of the lease that needed it; `how` is the method it used [S4]. */
export interface LeaseScrubbed extends Head<"lease-scrubbed"> {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly how: string;
}
/** The GPUs of the lease are in the mode that it needs. */
export interface LeaseReshaped extends Head<"lease-reshaped"> {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly how: string;
}
export interface LeasePrepared extends Head<"lease-prepared"> {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly engineId: string;
  readonly enforcement: { readonly [limit: string]: string };
  /** What it has where that is no whole GPU, such as `MIG-…`. */
  readonly devices?: readonly string[];
}
export interface LeaseStarted extends Head<"lease-started"> {
  readonly lease: LeaseId;
  readonly sequence: number;
}
/** `sequence` is 0 if the core asked for the stop, and the report's number if the engine began it. */
export interface LeaseStopping extends Head<"lease-stopping"> {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly cause: StopCause;
  readonly signal: string;
  readonly graceMs: number;
  /** For the user of an evicted or moved job: why the room was needed, without naming other accounts. */
  readonly why?: string;
}
export type LeaseResult = "exited" | "never-ran" | "refused" | "lost";
/** The seat is free again. */
export interface LeaseEnded extends Head<"lease-ended"> {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly result: LeaseResult;
  readonly exitCode?: number;
  readonly limit?: string;
  readonly reason?: string;
  /** A fault of another job on the same GPU ended it [L3]. */
  readonly neighbour?: true;
  /** Rank 0 wrote the done file: the work of the job is complete, even if it was asked to leave [L1]. */
  readonly done?: true;
  /** What the member left that is kept, if this is the last attempt of its job. */
  readonly outputs?: readonly KeptOutput[];
}
/** The job returns to the queue as attempt `attempt`, to start at `notBeforeAt` at the earliest. */
export interface JobRequeued extends Head<"job-requeued"> {
  readonly job: JobNo;
  readonly attempt: number;
  readonly cause:
    | "failed"
    | "node_lost"
    | "neighbour_fault"
    | "preempted"
    | "moved"
    | "drain"
    | "budget"
    | "refused"
    | "suspended"
    | "requeued"
    | "node_fault";
  readonly notBeforeAt: Instant;
  /** From now on it shares no MPS server with another job [L3]. */
  readonly alone?: true;
  /** When its last member ended, where that is earlier than `at`: engines report late after an outage. */
  readonly ranUntil?: Instant;
}
export interface JobEnded extends Head<"job-ended"> {
  readonly job: JobNo;
  readonly outcome: JobOutcome;
  readonly exitCode?: number;
  readonly reason?: string;
  /** As of `job-requeued`. */
  readonly ranUntil?: Instant;
}
/** An idempotency key was used for a create; `result` is the id of the created thing. */
export interface KeyUsed extends Head<"key-used"> {
  readonly user: UserId | "system";
  readonly key: string;
  readonly bodyHash: string;
  readonly result: string;
}
export interface PolicySet extends Head<"policy-set"> {
  readonly policy: Policy;
}
/** Where more than 256 groups wait: how far their round of turns has come, and whether another follows [B6]. */
export interface TurnTaken extends Head<"turn-taken"> {
  /** The first job of the last group that has had its turn in this round; 0 = no round is under way. */
  readonly upTo: number;
  /** Something changed, so another round follows. */
  readonly again: boolean;
}

/** The input holds what was noted; the state does not change. */
export interface AuditNoted extends Head<"audit-noted"> {
  readonly notes: number;
}
export interface EpochBegan extends Head<"epoch-began"> {
  readonly epoch: number;
  readonly reason: string;
}

export type EventKind = Event["kind"];
