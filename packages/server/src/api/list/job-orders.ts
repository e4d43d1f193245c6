import type { Job, JobArray, UserId } from "@tessera/core";
import type { jobSorts } from "@tessera/wire";
import { gangGpus, heldGpus } from "../../render/job.ts";
import { neverStarted } from "../../store/job-indexes.ts";
import { comparePlaces, keyOf } from "../../store/job-keys.ts";
import type { EndedJobKeys, JobGroup, JobKey } from "../../store/port.ts";
import type { Api } from "../context.ts";
import { type JobEntry, type JobFilter, shownState, waitsFor } from "./job-filter.ts";

type SortName = (typeof jobSorts)[number];
type OrderKey = string | number;

/** Where a job stands in an order; ties by (submittedAt, id), the same way round. */
export interface OrderPlace {
  readonly key: OrderKey;
  readonly submittedAt: number;
  readonly id: string;
}

/** How the store finds ended jobs in an order. */
export type StoredOrder =
  /** All have the same key: the time of their submission alone puts them in order. */
  | { readonly all: OrderKey }
  | { readonly key: JobKey }
  /** One group after the other, in the order of what each is called. */
  | { readonly group: JobGroup; readonly keyOf: (of: string) => string };

/** An order of jobs, live and ended. */
export interface JobOrder {
  /** As it was asked for; a cursor is good for the order in which it was given out. */
  readonly name: string;
  readonly down: boolean;
  readonly live: (job: Job | JobArray) => OrderKey;
  readonly ended: (row: EndedJobKeys) => OrderKey;
  readonly stored: StoredOrder;
}

/** The order that is asked for, such as `-gpus`; without one the newest first. */
export function jobOrder(api: Api, filter: JobFilter, asked: SortName | `-${SortName}` = "-submitted"): JobOrder {
  const down = asked.startsWith("-");
  const [live, stored] = ordersOf(api, filter)[(down ? asked.slice(1) : asked) as SortName]();
  return { name: asked, down, live, ended: endedOf(stored), stored };
}

function endedOf(stored: StoredOrder): JobOrder["ended"] {
  if ("all" in stored) return () => stored.all;
  if ("key" in stored) return (row) => keyOf(row, stored.key);
  return (row) => stored.keyOf(row[stored.group]);
}

export function compareInOrder({ down }: Pick<JobOrder, "down">, a: OrderPlace, b: OrderPlace): number {
  return down ? comparePlaces(b, a) : comparePlaces(a, b);
}

export function placeOf({ live, ended }: JobOrder, entry: JobEntry): OrderPlace {
  const key = "live" in entry ? live(entry.live) : ended(entry.row);
  return { key, submittedAt: entry.submittedAt, id: entry.id };
}

/** Comes after every outcome and every number. */
const last = "~";

type Made = readonly [live: JobOrder["live"], stored: StoredOrder];

/** What jobs can be sorted by. What a job has cost is not kept with it, so nothing sorts by it. */
function ordersOf({ control }: Api, filter: JobFilter): { readonly [Name in SortName]: () => Made } {
  const { state } = control;
  const now = control.now();
  const userKey = (user: string) => `${filter.nameOf(user as UserId)}\n${user}`;
  return {
    submitted: () => [() => 0, { all: 0 }],
    name: () => [({ spec }) => spec.name, { key: "name" }],
    project: () => [({ account }) => state.accounts[account]!.path, { group: "account", keyOf: (account) => account }],
    user: () => [({ user }) => userKey(user), { group: "user", keyOf: userKey }],
    gpus: () => [gpusNow, { key: "gpus" }],
    priority: () => [({ spec }) => spec.priority, { key: "priority" }],
    "priority-age": () => [({ spec, submittedAt }) => priorityAgeKey(spec.priority, submittedAt), { all: last }],
    reason: () => [(job) => waitsFor(state, job, filter) ?? last, { all: last }],
    started: () => [startOf, { key: "started" }],
    // Live ones after those that have ended, each by its state.
    state: () => [(job) => `${last}${shownState(job)}`, { key: "outcome" }],
    since: () => [(job) => (startOf(job) === neverStarted ? job.submittedAt : startOf(job)), { key: "since" }],
    waited: () => [(job) => Math.min(now, startOf(job)) - job.submittedAt, { key: "waited" }],
    ran: () => [(job) => Math.max(0, now - startOf(job)), { key: "ran" }],
  };
}

function gpusNow(job: Job | JobArray): number {
  if ("size" in job) return gangGpus(job.spec, 0);
  return job.state === "waiting" ? gangGpus(job.spec, job.choice) : heldGpus(job.leases);
}

function startOf(job: Job | JobArray): number {
  return "size" in job || job.state === "waiting" || job.startedAt === 0 ? neverStarted : job.startedAt;
}

/** The higher priority comes first, then the older job; which account is next depends on guarantees and shares. */
export function priorityAgeKey(priority: number, submittedAt: number): string {
  return `${String(100_000_000 - priority).padStart(10, "0")} ${String(submittedAt).padStart(15, "0")}`;
}
