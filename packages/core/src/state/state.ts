import type { ByNumber } from "../collections/by-number.ts";
import type { JobsById } from "../collections/jobs-by-id.ts";
import type { JobsUnder } from "../collections/jobs-under.ts";
import type { Slots } from "../collections/slots.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Arrivals } from "../learn/arrivals.ts";
import type { History } from "../learn/history.ts";
import type { Lengths } from "../learn/lengths.ts";
import type { Pace } from "../learn/pace.ts";
import type { RunTimes } from "../learn/run-times.ts";
import type { Token, User } from "../model/access.ts";
import type { Account } from "../model/account.ts";
import type { AccountId, AccountNo, GpuNo, JobId, JobNo, NodeNo, TokenId, UserId } from "../model/ids.ts";
import type { Job, JobArray } from "../model/job.ts";
import type { Policy } from "../model/policy.ts";
import type { Instant } from "../model/units.ts";
import type { Timeline } from "../plan/timeline.ts";
import type { Floor } from "../quota/facts.ts";
import type { AccountUsage } from "../quota/held.ts";
import type { KeptContests } from "../schedule/kept-contests.ts";
import type { Alike } from "./alike.ts";
import type { ApartNames } from "./apart.ts";
import type { Books } from "./books.ts";
import type { BurstOrder } from "./burst-order.ts";
import type { ClassChanges } from "./class-changes.ts";
import type { Endings } from "./endings.ts";
import type { Leases } from "./leases.ts";
import type { Rest } from "./rest.ts";
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

/** Which claimants a change concerns. */
export interface ClaimIndex {
  /** By the nodes of their seats. */
  readonly on: Map<NodeNo, Set<Job>>;
  /** Those whose seats were free, but something else was missing. */
  readonly heldUp: Set<Job>;
  /** The change of the fleet up to which they have been looked at. */
  settledAt: number;
}

/** How much of a windowed limit an account has begun to use. */
export interface GpuTimeWindow {
  from: Instant;
  unitMs: number;
}

/**
 * Everything live, in memory: accounts, fleet, people, jobs that have not ended. It is made by `apply` from the events
 * alone. The second half is derived from the first and is rebuilt, not stored.
 */
export interface State {
  /** Time of the last event; the core's time never runs backward. */
  lastAt: Instant;
  epoch: number;
  nextJob: number;
  /** By number. A deleted account leaves a hole. */
  readonly accounts: (Account | undefined)[];
  readonly fleet: Fleet;
  readonly users: Map<UserId, User>;
  readonly tokens: Map<TokenId, Token>;
  /** `account number/name` → when it was last set. */
  readonly secrets: Map<string, Instant>;
  readonly jobs: ByNumber<JobNo, Job>;
  readonly arrays: Map<JobNo, JobArray>;
  /** Keys in order of first use, oldest first. */
  readonly keys: Map<string, UsedKey>;
  readonly gpuTime: Map<AccountNo, GpuTimeWindow>;
  /** Of accounts whose parent asks for it. */
  readonly history: Map<AccountNo, History>;
  /** Of accounts that order their jobs by the time they need. */
  readonly pace: Map<AccountNo, Pace>;
  readonly runTimes: RunTimes;
  /** How long jobs ran, of the accounts whose order may evict. */
  readonly lengths: Map<AccountNo, Lengths>;
  /** What is submitted, and what room is worth by it. */
  readonly arrivals: Arrivals;
  /** Jobs that cannot start, first planned first, and when they are expected to as was last worked out. */
  readonly planned: Map<Job, Instant>;
  /** Jobs for which room is being made, in order of their claims. */
  readonly claimants: Set<Job>;
  policy: Policy;
  readonly books: Books;
  /** When jobs were moved, one entry for each, oldest first; what is older than an hour goes with the next move (T9). */
  movedAt: Instant[];
  /** Nodes that a confidential tenant has to itself, and the account that is charged with what is left of them. */
  readonly dedicated: Map<NodeNo, AccountNo>;
  /** What is left of the GPUs of such nodes. */
  readonly rest: Map<GpuNo, Rest>;
  /** Which jobs wait for this one. */
  readonly dependents: Map<JobNo, { readonly job: JobNo; readonly when: "succeeded" | "ended" }[]>;

  // Derived.
  /** The newest time heard of, by events or otherwise: what "now" means for who may start. */
  clock: Instant;
  readonly accountByPath: Map<string, Account>;
  readonly accountById: Map<AccountId, Account>;
  /** By account number. */
  readonly usage: AccountUsage[];
  /** Each account that was asked for with everything above it, lowest first, without the root. */
  readonly paths: (readonly Account[])[];
  /** Guarantees as they were last summed up, by account number. */
  readonly floors: (Floor | undefined)[];
  readonly wishes: Wishes;
  readonly tokenByHash: Map<string, Token>;
  readonly slots: Slots;
  readonly jobById: JobsById;
  readonly arrayById: Map<JobId, JobArray>;
  readonly leases: Leases;
  readonly apart: ApartNames;
  readonly waiting: Waiting;
  /** How accounts stood that wait for seats of some shapes. */
  readonly contests: KeptContests;
  /** The planned starts as they were last worked out, unless nodes, terms or the policy have changed since. */
  plans: Timeline | undefined;
  /** Accounts that do not lend all of their idle guarantee. */
  lendingLimits: number;
  /** The models that their guarantees name, and in how many of them. */
  readonly lendingNames: Map<string, number>;
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
  /** Jobs that can be moved (T9), by node. */
  readonly movable: Map<NodeNo, Set<Job>>;
  readonly resumable: Resumable;
  /** Grows with every change of what accounts hold or may hold; what is worked out from usage is good until then. */
  usageVersion: number;
  /** Jobs that the guarantee of an account covers, by that account. */
  readonly coveredBy: JobsUnder<AccountNo>;
  readonly burst: BurstOrder;
  readonly alike: Alike;
  readonly classes: ClassChanges;
  readonly claims: ClaimIndex;
  /** When jobs that hold leases reach their limits. */
  readonly endings: Endings;
  readonly timers: Timers;
  /** Live jobs with a price they do not go beyond, or a budget of their own. */
  readonly priced: Set<Job>;
}
