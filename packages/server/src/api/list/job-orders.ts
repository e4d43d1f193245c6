import type { Job, JobArray, UserId } from "@tessera/core";
import type { jobSorts, Job as WireJob } from "@tessera/wire";
import { gangGpus, heldGpus } from "../../render/job.ts";
import type { EndedJobRow } from "../../store/port.ts";
import type { Api } from "../context.ts";
import { type JobEntry, type JobFilter, shownState, waitsFor } from "./job-filter.ts";

type Order = (entry: JobEntry) => string | number;

/** Sorts after every time that a job can have started at. */
const never = Number.MAX_SAFE_INTEGER;

/** What jobs can be sorted by. */
export function jobOrders(
  { control }: Api,
  filter: JobFilter,
): { readonly [Name in (typeof jobSorts)[number]]: Order } {
  const { state } = control;
  const { nameOf } = filter;
  const now = control.now();
  const docs = new Map<EndedJobRow, WireJob>();
  const docOf = (row: EndedJobRow) => {
    const doc = docs.get(row) ?? (JSON.parse(row.doc) as WireJob);
    docs.set(row, doc);
    return doc;
  };
  const by =
    <Key extends string | number>(live: (job: Job | JobArray) => Key, ended: (row: EndedJobRow) => Key): Order =>
    (entry) =>
      "live" in entry ? live(entry.live) : ended(entry.row);
  return {
    submitted: ({ submittedAt }) => submittedAt,
    name: by(
      ({ spec }) => spec.name,
      ({ name }) => name,
    ),
    project: by(
      ({ account }) => state.accounts[account]!.path,
      ({ account }) => account,
    ),
    user: by(
      ({ user }) => nameOf(user),
      ({ user }) => nameOf(user as UserId),
    ),
    gpus: by(
      (job) => gpusNow(job),
      (row) => docOf(row).gpus,
    ),
    priority: by(
      ({ spec }) => spec.priority,
      (row) => docOf(row).priority,
    ),
    queue: by(
      ({ spec, submittedAt }) => queueKey(spec.priority, submittedAt),
      (row) => queueKey(docOf(row).priority, row.submittedAt),
    ),
    started: by(startOf, (row) => Date.parse(docOf(row).startedAt ?? "") || never),
    reason: by(
      (job) => waitsFor(state, job, filter) ?? "",
      () => "",
    ),
    since: by(
      (job) => ("size" in job || job.state === "waiting" ? job.submittedAt : job.startedAt || job.submittedAt),
      ({ endedAt }) => endedAt,
    ),
    waited: by(
      (job) => Math.min(now, startOf(job)) - job.submittedAt,
      (row) => (Date.parse(docOf(row).startedAt ?? "") || row.endedAt) - row.submittedAt,
    ),
    ran: by(
      (job) => Math.max(0, now - startOf(job)),
      (row) => row.endedAt - (Date.parse(docOf(row).startedAt ?? "") || row.endedAt),
    ),
    state: by(shownState, ({ outcome }) => `ended ${outcome}`),
  };
}

function gpusNow(job: Job | JobArray): number {
  if ("size" in job) return gangGpus(job.spec, 0);
  return job.state === "waiting" ? gangGpus(job.spec, job.choice) : heldGpus(job.leases);
}

function startOf(job: Job | JobArray): number {
  return "size" in job || job.state === "waiting" || job.startedAt === 0 ? never : job.startedAt;
}

/** Within an account the higher priority is next, then the older job. */
export function queueKey(priority: number, submittedAt: number): string {
  return `${String(100_000_000 - priority).padStart(10, "0")} ${String(submittedAt).padStart(15, "0")}`;
}
