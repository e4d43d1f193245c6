import type { ByNumber } from "../collections/by-number.ts";
import type { JobsById } from "../collections/jobs-by-id.ts";
import type { JobsUnder } from "../collections/jobs-under.ts";
import type { SlotPool } from "../collections/slots.ts";
import type { Arrivals } from "../learn/arrivals.ts";
import type { WithHistory } from "../learn/history.ts";
import type { WithLengths } from "../learn/lengths.ts";
import type { WithPace } from "../learn/pace.ts";
import type { RunTimes } from "../learn/run-times.ts";
import type { Token, User } from "../model/access.ts";
import type { Account } from "../model/account.ts";
import type { AccountId, AccountNo, GpuNo, JobId, JobNo, NodeNo, TokenId, UserId } from "../model/ids.ts";
import type { Job, JobArray } from "../model/job.ts";
import type { Policy } from "../model/policy.ts";
import type { Rest } from "../model/rest.ts";
import type { Instant } from "../model/units.ts";
import type { QuotaFacts } from "../quota/facts.ts";
import type { AccountUsage } from "../quota/held.ts";
import type { VictimClasses } from "./alike.ts";
import type { ApartNames } from "./apart.ts";
import type { Books } from "./books.ts";
import type { BurstOrder } from "./burst-order.ts";
import type { Endings } from "./endings.ts";
import type { Leases } from "./leases.ts";
import type { Resumable } from "./resumable.ts";
import type { Timers } from "./timers.ts";
import type { Waiting } from "./waiting.ts";
import type { Wishes } from "./wish.ts";

/** A used idempotency key: what it made, until it is forgotten. */
export interface UsedKey {
  readonly bodyHash: string;
  readonly result: string;
  readonly at: Instant;
}

/** How much of a windowed limit an account has begun to use. */
export interface GpuTimeWindow {
  from: Instant;
  unitMs: number;
}

/** What the events say of everything live; ended jobs leave it. A snapshot stores this. */
export interface Facts extends WithHistory, WithPace, WithLengths {
  /** Time of the last event; the core's time never runs backward. */
  lastAt: Instant;
  epoch: number;
  nextJob: number;
  readonly users: Map<UserId, User>;
  readonly tokens: Map<TokenId, Token>;
  /** `account number/name` → when it was last set. */
  readonly secrets: Map<string, Instant>;
  readonly jobs: ByNumber<JobNo, Job>;
  readonly arrays: Map<JobNo, JobArray>;
  /** Idempotency keys in order of first use, oldest first. */
  readonly keys: Map<string, UsedKey>;
  readonly gpuTime: Map<AccountNo, GpuTimeWindow>;
  readonly runTimes: RunTimes;
  /** What is submitted, and what room is worth by it. */
  readonly arrivals: Arrivals;
  /** Jobs that cannot start and have a planned start, first planned first. */
  readonly planned: Set<Job>;
  /** Jobs for which room is being made, in order of their claims. */
  readonly claimants: Set<Job>;
  policy: Policy;
  readonly books: Books;
  /** When jobs were moved, one entry for each, oldest first; entries older than an hour go with the next move [T9]. */
  movedAt: Instant[];
  /** Nodes that a confidential tenant has to itself, and the account that is charged for their rest. */
  readonly dedicated: Map<NodeNo, AccountNo>;
  /** The rest of the GPUs of such nodes. */
  readonly rest: Map<GpuNo, Rest>;
  /** Which jobs wait for this one. */
  readonly dependents: Map<JobNo, { readonly job: JobNo; readonly when: "succeeded" | "ended" }[]>;
}

/** What follows from the facts, kept up to date by `apply` so that it need not be counted. Never stored. */
export interface Indexes extends QuotaFacts {
  readonly usage: AccountUsage[];
  readonly accountByPath: Map<string, Account>;
  readonly accountById: Map<AccountId, Account>;
  readonly wishes: Wishes;
  readonly tokenByHash: Map<string, Token>;
  readonly slots: SlotPool;
  readonly jobById: JobsById;
  readonly arrayById: Map<JobId, JobArray>;
  readonly leases: Leases;
  readonly apart: ApartNames;
  /** The queue. */
  readonly waiting: Waiting;
  /** How many tenants are confidential. */
  confidential: number;
  /** Accounts that limit what one user may hold. */
  userLimits: number;
  /** How many seats each tenant has on a node, those included that are kept for it. */
  readonly tenantsOn: Map<NodeNo, Map<AccountNo, number>>;
  /** Jobs that hold leases, by account. */
  readonly active: JobsUnder<AccountNo>;
  /** How many of those have which priority, by account number. */
  readonly priorities: (Map<number, number> | undefined)[];
  /** Jobs that hold leases and could use more members. */
  readonly elastic: Set<Job>;
  /** Jobs that can be moved [T9], by node. */
  readonly movable: Map<NodeNo, Set<Job>>;
  readonly resumable: Resumable;
  /** Jobs that the guarantee of an account covers, by that account. */
  readonly coveredBy: JobsUnder<AccountNo>;
  readonly burst: BurstOrder;
  readonly victimClasses: VictimClasses;
  /** Claimants by the nodes of their seats. */
  readonly claimantsOn: Map<NodeNo, Set<Job>>;
  /** When jobs that hold leases reach their limits. */
  readonly endings: Endings;
  /** Live jobs with a price they do not go beyond, or a budget of their own. */
  readonly priced: Set<Job>;
  /** Grows with every event. */
  version: number;
}

/** What time alone changes. */
export interface Agenda {
  /** The newest time heard of, by events or otherwise: what "now" means for what may start. */
  clock: Instant;
  /** What must be looked at when its time comes. */
  readonly timers: Timers;
}

/**
 * Everything live, in memory. It is made from events by `apply`, which alone writes it; only the agenda also changes as
 * time passes. What the scheduler remembers to be fast is not here but in `schedule/memory`.
 */
export interface State extends Facts, Indexes, Agenda {}
