import type { Token, User } from "../model/access.ts";
import { type Account, plainTerms, type QueueOrder } from "../model/account.ts";
import {
  type AccountId,
  type AccountNo,
  type GpuNo,
  type JobId,
  type JobNo,
  type NodeNo,
  noAccount,
  rootAccount,
  type TokenId,
  type UserId,
} from "../model/ids.ts";
import type { Job, JobArray, JobSpec } from "../model/job.ts";
import { type Policy, plainPolicy } from "../model/policy.ts";
import type { Instant } from "../model/units.ts";
import { enginesHave } from "../gpu/engines.ts";
import { loadOf } from "../gpu/latency.ts";
import { type Newcomer, type PartAsk, seatPart, type Who } from "../gpu/seat.ts";
import { KeptContests } from "../schedule/kept-contests.ts";
import type { Demand, Floor } from "../quota/quota.ts";
import { modelMatches } from "../submit/gpus.ts";
import type { Timeline } from "../plan/timeline.ts";
import { Alike } from "./alike.ts";
import { ApartNames } from "./apart.ts";
import { Arrivals, shapeOf } from "../learn/arrivals.ts";
import { type Books, emptyBooks } from "./books.ts";
import { BurstOrder } from "./burst-order.ts";
import { ByNumber } from "../collections/by-number.ts";
import { ClassChanges } from "./class-changes.ts";
import { Endings } from "./endings.ts";
import { Fleet } from "../fleet/fleet.ts";
import type { History } from "../learn/history.ts";
import { JobsById } from "../collections/jobs-by-id.ts";
import { JobsUnder } from "../collections/jobs-under.ts";
import { Leases } from "./leases.ts";
import type { Lengths } from "../learn/lengths.ts";
import type { Pace } from "../learn/pace.ts";
import type { Rest } from "./rest.ts";
import { Resumable } from "./resumable.ts";
import { RunTimes } from "../learn/run-times.ts";
import { Slots } from "../collections/slots.ts";
import { Timers } from "./timers.ts";
import { type AccountUsage, nothingUsed } from "../quota/usage.ts";
import { Waiting } from "./waiting.ts";
import { type Wish, Wishes } from "./wish.ts";

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

/** The state before anything happened: the root account and nothing else. */
export function emptyState(): State {
  const root: Account = {
    no: rootAccount,
    id: "acc_root" as AccountId,
    path: "",
    parent: noAccount,
    tenant: rootAccount,
    createdAt: 0,
    terms: plainTerms,
    revision: 1,
    children: [],
    liveJobs: 0,
  };
  const jobs = new ByNumber<JobNo, Job>();
  const jobById = new JobsById();
  const apart = new ApartNames();
  return {
    lastAt: 0,
    epoch: 1,
    nextJob: 1,
    accounts: [root],
    fleet: new Fleet(),
    users: new Map(),
    tokens: new Map(),
    secrets: new Map(),
    jobs,
    arrays: new Map(),
    keys: new Map(),
    gpuTime: new Map(),
    history: new Map(),
    pace: new Map(),
    runTimes: new RunTimes(),
    lengths: new Map(),
    arrivals: new Arrivals(),
    policy: plainPolicy,
    books: emptyBooks(),
    movedAt: [],
    dedicated: new Map(),
    rest: new Map(),
    dependents: new Map(),
    clock: 0,
    accountByPath: new Map([["", root]]),
    accountById: new Map([[root.id, root]]),
    usage: [nothingUsed()],
    paths: [],
    floors: [],
    wishes: new Wishes(),
    tokenByHash: new Map(),
    slots: new Slots(),
    jobById,
    arrayById: new Map(),
    leases: new Leases(jobs, jobById),
    apart,
    waiting: new Waiting(apart),
    contests: new KeptContests(),
    plans: undefined,
    lendingLimits: 0,
    lendingNames: new Map(),
    confidential: 0,
    userLimits: 0,
    tenantsOn: new Map(),
    active: new JobsUnder(),
    priorities: [],
    elastic: new Set(),
    movable: new Map(),
    resumable: new Resumable(),
    usageVersion: 0,
    coveredBy: new JobsUnder(),
    burst: new BurstOrder(),
    alike: new Alike(),
    classes: new ClassChanges(),
    planned: new Map(),
    claimants: new Set(),
    claims: { on: new Map(), heldUp: new Set(), settledAt: -1 },
    endings: new Endings(),
    timers: new Timers(),
    priced: new Set(),
  };
}

export function accountOf(state: State, no: AccountNo): Account {
  const account = state.accounts[no];
  if (account === undefined) throw new Error(`no account ${no}`);
  return account;
}

export function jobOf(state: State, no: JobNo): Job {
  const job = state.jobs.get(no);
  if (job === undefined) throw new Error(`no live job ${no}`);
  return job;
}

/** The account and everything above it, lowest first, without the root. */
export function pathUp(state: State, account: AccountNo): readonly Account[] {
  state.paths[account] ??= findPath(state, account);
  return state.paths[account];
}

function findPath(state: State, account: AccountNo): Account[] {
  const path: Account[] = [];
  for (let at = account; at !== rootAccount && at !== noAccount; at = path.at(-1)!.parent)
    path.push(accountOf(state, at));
  return path;
}

/** Whether an account is `above` or below it. */
export function isInside(state: State, account: AccountNo, above: AccountNo): boolean {
  for (let at = account; at !== noAccount; at = accountOf(state, at).parent) if (at === above) return true;
  return false;
}

/** The name by which an account is shown; the root is the platform itself. */
export function tenantOf(state: State, account: AccountNo): Account {
  return accountOf(state, accountOf(state, account).tenant);
}

/** How an account orders its own waiting jobs [O3]. */
export function orderOf(state: State, account: AccountNo): QueueOrder {
  const { order = "age", quantumMs } = accountOf(state, account).terms;
  return order === "attained-service" && quantumMs !== undefined ? "index" : order;
}

/** The lowest priority of what an account itself runs; infinite where it runs nothing. */
export function lowestPriority(state: State, account: AccountNo): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const priority of state.priorities[account]?.keys() ?? []) lowest = Math.min(lowest, priority);
  return lowest;
}

/** What a job would hold on a model with alternative `choice`, all members together. */
export function demandOf(state: State, job: Pick<Job, "spec">, choice: number, model: number): Demand {
  const { gpus, members, cpusMilli, memoryMiB, isolation } = job.spec;
  const ask = gpus[choice]!;
  const { min } = members;
  const each =
    ask.part !== undefined && model >= 0
      ? partOn(state.fleet, model, { ...ask.part, isolation })
      : { compute: ask.count * ask.unitsEach, memory: ask.count * ask.unitsEach };
  return {
    model,
    units: each.compute * min,
    memoryUnits: each.memory * min,
    cpusMilli: cpusMilli * min,
    memoryMiB: memoryMiB * min,
  };
}

/**
 * What a part is on an empty device of a model: the most that it is in any of the pools that have some, since MIG rounds
 * up and where it will land is not known yet.
 */
function partOn(fleet: Fleet, model: number, ask: PartAsk): { readonly compute: number; readonly memory: number } {
  const most = { compute: 0, memory: 0 };
  const device = fleet.device(fleet.someGpuOf(model));
  for (const pool of fleet.poolsOf(model)) {
    const seat = seatPart({ ...device, pool }, [], anybody, ask);
    if (typeof seat !== "object") continue;
    most.compute = Math.max(most.compute, seat.compute);
    most.memory = Math.max(most.memory, seat.memory);
  }
  return most.compute > 0 ? most : { compute: ask.compute, memory: ask.memory };
}

/** What a job asks for and, for each alternative on each model that would do, what it would hold. */
export function wishOf(state: State, spec: JobSpec): Wish {
  return upToDate(state, state.wishes.of(spec), spec);
}

/** The wish with what the models of the fleet make of it. */
export function upToDate(state: State, wish: Wish, spec: JobSpec): Wish {
  if (wish.kinds !== state.fleet.kinds) workOut(state, wish, spec);
  return wish;
}

function workOut(state: State, wish: Wish, spec: JobSpec): void {
  wish.kinds = state.fleet.kinds;
  wish.options = spec.gpus.flatMap((_, choice) =>
    modelsFor(state, { spec }, choice).map((model) => ({
      choice,
      model,
      demand: demandOf(state, { spec }, choice, model),
      fitsEmptyAt: -1,
    })),
  );
  // An alternative on a model that the fleet has not got is none.
  wish.first = wish.options[0]?.demand ?? demandOf(state, { spec }, 0, -1);
  wish.arrival = shapeOf(spec, modelsFor(state, { spec }, 0));
}

/** Model numbers that satisfy an alternative, in order of appearance; `[-1]` when no GPU is asked for. */
export function modelsFor(state: State, job: Pick<Job, "spec">, choice: number): number[] {
  const ask = job.spec.gpus[choice]!;
  if (ask.count === 0) return [-1];
  const { needs = [] } = job.spec;
  const found: number[] = [];
  for (const [no, model] of state.fleet.models.entries())
    if (modelMatches(ask.model, model) && enginesHave(model, needs)) found.push(no);
  return found;
}

/** Somebody who is trusted, and does not mind who is beside it. */
export const anybody: Newcomer = { tenant: -1, trust: "trusted", group: "", migWith: [], type: "batch" };

/** Who asks for a part of a GPU, or holds one. */
export function newcomerOf(state: State, { account, spec }: Pick<Job, "account" | "spec">): Newcomer {
  return { ...whoIs(state, account), ...loadOf(spec) };
}

/** A tenant as its neighbours on a GPU see it. */
export function whoIs(state: State, account: AccountNo): Who {
  const { no, terms } = tenantOf(state, account);
  const migWith = (terms.allowMigWith ?? []).flatMap((path) => state.accountByPath.get(path)?.no ?? []);
  return { tenant: no, trust: terms.trust, group: terms.trustGroup ?? "", migWith };
}
