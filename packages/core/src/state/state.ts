import type { ByNumber } from "../collections/by-number.ts";
import type { JobsById } from "../collections/jobs-by-id.ts";
import type { JobsUnder } from "../collections/jobs-under.ts";
import type { SlotPool } from "../collections/slots.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Arrivals } from "../learn/arrivals.ts";
import type { WithHistory } from "../learn/history.ts";
import type { WithLengths } from "../learn/lengths.ts";
import type { WithPace } from "../learn/pace.ts";
import type { RunTimes } from "../learn/run-times.ts";
import type { Token, User } from "../model/access.ts";
import type { Account } from "../model/account.ts";
import type { EngineState } from "../model/engine.ts";
import type { Exchange } from "../model/exchange.ts";
import type { NodeHealth, Repair } from "../model/health.ts";
import type { AccountId, AccountNo, GpuNo, JobId, JobNo, NodeNo, TokenId, UserId } from "../model/ids.ts";
import type { Job, JobArray } from "../model/job.ts";
import type { Policy } from "../model/policy.ts";
import type { Pool } from "../model/pool.ts";
import type { Provider } from "../model/provider.ts";
import type { NodeRemainder } from "../model/remainder.ts";
import type { Instant } from "../model/units.ts";
import type { Volume } from "../model/volume.ts";
import type { QuotaFacts } from "../quota/facts.ts";
import type { AccountUsage } from "../quota/held.ts";
import type { Books } from "./books.ts";
import type { FormerAccount } from "./former.ts";
import type { ApartNames } from "./indexes/apart.ts";
import type { BurstOrder } from "./indexes/burst-order.ts";
import type { Endings } from "./indexes/endings.ts";
import type { Leases } from "./indexes/leases.ts";
import type { Load } from "./indexes/load.ts";
import type { NodePools } from "./indexes/node-pools.ts";
import type { OfferKinds } from "./indexes/offer-kinds.ts";
import type { Resumable } from "./indexes/resumable.ts";
import type { Timers } from "./indexes/timers.ts";
import type { VictimClasses } from "./indexes/victim-classes.ts";
import type { Waiting } from "./indexes/waiting.ts";
import type { Wishes } from "./indexes/wish.ts";
import type { Trail } from "./trail.ts";

/** A used idempotency key and what its request created. */
export interface UsedKey {
  readonly bodyHash: string;
  readonly result: string;
  readonly at: Instant;
}

/** GPU time that an account has used in the present window of its limit. */
export interface GpuTimeWindow {
  from: Instant;
  unitMs: number;
}

/** What the events say about everything live; ended jobs leave it. A snapshot stores this. */
export interface Facts extends WithHistory, WithPace, WithLengths {
  /** Time of the last event; it never runs backward. */
  lastAt: Instant;
  epoch: number;
  nextJob: number;
  /** Accounts that were deleted, by path, oldest first. */
  readonly former: Map<string, FormerAccount[]>;
  readonly users: Map<UserId, User>;
  readonly tokens: Map<TokenId, Token>;
  /** When each secret was last set, by `account number/name`. */
  readonly secrets: Map<string, Instant>;
  /** By `account number/name`. */
  readonly volumes: Map<string, Volume>;
  /** By name. */
  readonly engines: Map<string, EngineState>;
  /** By name. */
  readonly providers: Map<string, Provider>;
  readonly exchanges: Map<string, Exchange>;
  readonly jobs: ByNumber<JobNo, Job>;
  readonly arrays: Map<JobNo, JobArray>;
  /** Idempotency keys in order of first use, oldest first. */
  readonly keys: Map<string, UsedKey>;
  readonly gpuTime: Map<AccountNo, GpuTimeWindow>;
  readonly runTimes: RunTimes;
  /** Statistics of submissions, and what free room is worth by them. */
  readonly arrivals: Arrivals;
  /** Jobs with a planned start, first planned first. */
  readonly planned: Set<Job>;
  /** Jobs with a claim: seats are being emptied for them. In order of their claims. */
  readonly claimants: Set<Job>;
  policy: Policy;
  /** By name. */
  readonly pools: Map<string, Pool>;
  /** By the key of the node; absent = nothing was ever found. */
  readonly health: Map<string, NodeHealth>;
  /** Those that are open, and the last that were closed, by number. */
  readonly repairs: Map<number, Repair>;
  nextRepair: number;
  readonly books: Books;
  readonly trail: Trail;
  /** When jobs were moved, one entry for each, oldest first; the next move drops entries older than an hour [T9]. */
  movedAt: Instant[];
  /** Nodes that a confidential tenant has to itself, and the account that is charged for their remainder [U3]. */
  readonly dedicated: Map<NodeNo, AccountNo>;
  /** The remainder of each GPU of such nodes. */
  readonly rest: Map<GpuNo, NodeRemainder>;
  /** Jobs that run after this job or array. */
  readonly dependents: Map<JobNo, { readonly job: JobNo; readonly when: "succeeded" | "ended" }[]>;
}

/** What follows from the facts, kept up to date by `apply` so that no decision has to count it. Never stored. */
export interface Indexes extends QuotaFacts {
  readonly fleet: Fleet;
  lendingLimits: number;
  readonly lendingNames: Map<string, number>;
  readonly accountByPath: Map<string, Account>;
  readonly accountById: Map<AccountId, Account>;
  readonly wishes: Wishes;
  readonly tokenByHash: Map<string, Token>;
  readonly slots: SlotPool;
  readonly jobById: JobsById;
  readonly arrayById: Map<JobId, JobArray>;
  readonly leases: Leases;
  readonly apart: ApartNames;
  readonly nodePools: NodePools;
  readonly offerKinds: OfferKinds;
  /** The queue. */
  readonly waiting: Waiting;
  /** How many tenants are confidential. */
  confidential: number;
  /** How many accounts limit what one user may hold. */
  userLimits: number;
  /** By node and tenant: seats that it holds or that are kept for it; counted only while some tenant is confidential. */
  readonly tenantsOn: Map<NodeNo, Map<AccountNo, number>>;
  /** Jobs that hold leases, by account. */
  readonly active: JobsUnder<AccountNo>;
  /** By account number: how many of those jobs have each priority. */
  readonly priorities: (Map<number, number> | undefined)[];
  /** Jobs that hold leases and could use more members. */
  readonly elastic: Set<Job>;
  /** Jobs that can be moved [T9], by node. */
  readonly movable: Map<NodeNo, Set<Job>>;
  readonly resumable: Resumable;
  /** Jobs that a guarantee covers, by the account that guarantees. */
  readonly coveredBy: JobsUnder<AccountNo>;
  readonly burst: BurstOrder;
  readonly victimClasses: VictimClasses;
  /** Claimants by the nodes of their seats. */
  readonly claimantsOn: Map<NodeNo, Set<Job>>;
  /** When jobs that hold leases are expected to end. */
  readonly endings: Endings;
  /** What tenants and users have in memory. */
  readonly load: Load;
  /** Live jobs with a `max_price` or a budget of their own. */
  readonly priced: Set<Job>;
  /** Grows with every event. */
  version: number;
}

/** The part of the state that time alone changes. */
export interface Agenda {
  /** The newest time known, from events or from the shell: "now" for jobs that may start. */
  clock: Instant;
  /** When something must be looked at although no event happens. */
  readonly timers: Timers;
}

/**
 * Everything live, in memory. `apply` makes it from events and alone writes it; only the agenda also changes as time
 * passes. What the scheduler remembers to be fast is not here but in `schedule/memory`.
 */
export interface State extends Facts, Indexes, Agenda {
  readonly accounts: (Account | undefined)[];
  readonly usage: AccountUsage[];
}
