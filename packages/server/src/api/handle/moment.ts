import {
  type Account,
  type Instant,
  isRefusal,
  type Job,
  type JobArray,
  type JobId,
  type JobNo,
  parseDuration,
  type ReadonlyState,
  Rooms,
  unmadeCount,
} from "@tessera/core";
import type { Moment, WaitingSummary } from "@tessera/wire";
import { inScope } from "../../access/principal.ts";
import { Reasons } from "../../flow/count/reasons.ts";
import { seenAt, waitingOf } from "../../flow/count/summary.ts";
import { JobCells } from "../../flow/count/tally.ts";
import { liveById } from "../../flow/find/find-job.ts";
import { Past } from "../../flow/past/past.ts";
import { aheadMsMax, type ExpectedUntil, expectAt, planDaysMax } from "../../flow/plan/expect.ts";
import { instantOrAgo } from "../../flow/zones.ts";
import { fleetMap } from "../../render/fleet-map.ts";
import { renderArray, renderJob } from "../../render/job.ts";
import { plannedBlock, runningBlock } from "../../render/plan.ts";
import { timestamp } from "../../render/quantities.ts";
import type { StoreReader } from "../../store/port.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Call, Handler } from "../context.ts";
import { jobFilter, liveJobs, shownState } from "../list/job-filter.ts";
import { priorityAgeKey } from "../list/job-orders.ts";
import { withName } from "../list/job-show.ts";

/** One for each store: it remembers the moment that was shown last. */
const pasts = new WeakMap<StoreReader, Past>();

/** An answer shows at most this many jobs, those that wait before others, by priority and age; all are counted. */
const jobsMax = 1_000;
/** An answer lists at most this many starts and this many ends; all are counted. */
const blocksMax = 200;

type MomentCall = Call<"readMoment">;

export const momentHandlers: { readMoment: Handler<"readMoment"> } = {
  async readMoment(api, call) {
    const { control } = api;
    const { query } = call;
    const now = control.now();
    const at = instantOrAgo(query.at, "at", now, (text) => parseDuration(text, "at"));
    if (isRefusal(at)) return at;
    const past = pasts.get(control.reader) ?? new Past(control.reader);
    pasts.set(control.reader, past);
    const oldest = await past.oldest();
    if (at > now + aheadMsMax) {
      const hint = `Ask for a moment within ${planDaysMax} days.`;
      return deny("invalid", "Nothing is planned so far ahead.", hint, "at", query.at);
    }
    if (at > now) return plannedMoment(api, call, { now, at, oldest: oldest?.at ?? now });
    const moment = oldest === undefined ? undefined : await past.at(at);
    if (moment === undefined || oldest === undefined) {
      const from =
        oldest === undefined ? "Nothing has happened yet" : `The past is kept from ${timestamp(oldest.at)} on`;
      return deny("not-found", "That moment is not kept.", `${from}.`, "at", query.at);
    }
    const { state, seq } = moment;
    // What one may see is what one may see now; the accounts are those of then.
    const roots = call.target.filter(({ no }) => state.accounts[no] !== undefined);
    const rooms = new Rooms(state.fleet);
    const reasons = new Reasons({ state, now: () => at }, rooms);
    const { waits = [], holds = [] } = jobsByFate(api, state, { roots, reasons, fateOf: fateNow, query });
    const shown = [...byPriorityAndAge(waits), ...holds].slice(0, jobsMax);
    const show = (job: Job | JobArray) =>
      withName(api, "size" in job ? renderArray(state, job) : renderJob(state, job, at, rooms));
    const chosen = chosenJob(state, roots, query.job);
    return {
      at: timestamp(at),
      row: seq,
      oldest: timestamp(oldest.at),
      latest: timestamp(now + aheadMsMax),
      nodes: nodesFor(call, state),
      waiting: waits.length,
      holding: holds.length,
      jobs: shown.map(show),
      ...(chosen !== undefined && { job: show(chosen) }),
      summary: summaryOf(state, roots, { reasons, fateOf: fateNow }),
    };
  },
};

interface Listing {
  readonly roots: readonly Account[];
  readonly reasons: Reasons;
  readonly fateOf: FateOf;
  readonly query: MomentCall["query"];
}

/** The jobs of a moment by what they do then; with a reason, those that wait for it. */
function jobsByFate(api: Api, state: ReadonlyState, { roots, reasons, fateOf, query: { reason } }: Listing) {
  // What `jobFilter` knows of reasons is of now.
  const asked = reason === undefined ? {} : { reason };
  const filter = { ...jobFilter(api, roots, asked), reasonOf: (job: Job) => reasons.kindOf(job) };
  return Object.groupBy(liveJobs(state, filter), (job) => {
    const fate = fateOf(job) ?? "gone";
    return reason !== undefined && fate === "holds" ? "gone" : fate;
  });
}

/** The job that was asked for, however many there are; undefined where it is not there, or may not be seen. */
function chosenJob(state: ReadonlyState, roots: readonly Account[], id: string | undefined) {
  const job = id === undefined ? undefined : liveById(state, id as JobId);
  return job !== undefined && seenAt(state, roots)(job.account) ? job : undefined;
}

function byPriorityAndAge(jobs: readonly (Job | JobArray)[]): (Job | JobArray)[] {
  const keyed = jobs.map((job) => ({ job, key: `${priorityAgeKey(job.spec.priority, job.submittedAt)} ${job.id}` }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ job }) => job);
}

/** The map, for those who may read the map of now. */
function nodesFor({ principal }: MomentCall, state: ReadonlyState, then?: ExpectedUntil): Moment["nodes"] {
  return inScope(principal, "node.read") ? [...fleetMap(state, principal.user, then)] : [];
}

interface Ahead {
  readonly now: Instant;
  readonly at: Instant;
  readonly oldest: Instant;
}

/** What a job does at a moment; undefined for one that has ended by then. */
type Fate = "waits" | "holds" | undefined;
type FateOf = (job: Job | JobArray) => Fate;

function fateNow(job: Job | JobArray): Fate {
  return shownState(job) === "waiting" ? "waits" : "holds";
}

/** What a plan says of each job. An array waits while none of its elements holds GPUs, and ends with the last of them. */
function fateAt(state: ReadonlyState, then: ExpectedUntil): FateOf {
  const comes = new Set<Job>(then.comes.map(({ job }) => job));
  const gone = new Set<Job>(then.starts.flatMap(({ job }) => (comes.has(job) ? [] : [job])));
  const ofJob = (job: Job): Fate => {
    if (gone.has(job) || !then.runs(job)) return undefined;
    return comes.has(job) ? "holds" : fateNow(job);
  };
  const arrays = new Map<JobNo, Fate>();
  for (const job of state.jobs.values()) {
    if (job.array === undefined || arrays.get(job.array) === "holds") continue;
    const fate = ofJob(job);
    if (fate !== undefined) arrays.set(job.array, fate);
  }
  return (job) => {
    if (!("size" in job)) return ofJob(job);
    return arrays.get(job.no) ?? (unmadeCount(job) > 0 ? "waits" : undefined);
  };
}

interface SummaryAsk {
  readonly reasons: Reasons;
  readonly fateOf: FateOf;
}

/** All jobs that wait at a moment, as the summary of now counts them. */
function summaryOf(state: ReadonlyState, roots: readonly Account[], { reasons, fateOf }: SummaryAsk): WaitingSummary {
  const sees = seenAt(state, roots);
  const cells = new JobCells((job) => reasons.kindOf(job));
  for (const job of state.jobs.values()) if (sees(job.account) && fateOf(job) === "waits") cells.add(job);
  for (const array of state.arrays.values()) {
    const fate = sees(array.account) ? fateOf(array) : undefined;
    if (fate !== undefined) cells.addArray(array, fate === "holds");
  }
  return waitingOf(state, cells.cells());
}

/** The fleet and the queue as they are planned to be; what comes meanwhile is not known. */
function plannedMoment(api: Api, call: MomentCall, { now, at, oldest }: Ahead): Moment | Denial {
  const { target, query } = call;
  const { state } = api.control;
  const then = expectAt(state, now, at);
  const sees = seenAt(state, target);
  const starts = then.starts.filter(({ job }) => sees(job.account));
  const ends = then.ends.filter(({ job }) => sees(job.account));
  const fateOf = fateAt(state, then);
  const rooms = new Rooms(state.fleet);
  const reasons = new Reasons({ state, now: () => now }, rooms);
  const { waits = [], holds = [] } = jobsByFate(api, state, { roots: target, reasons, fateOf, query });
  const show = (job: Job | JobArray) => {
    const { reason, ...doc } = "size" in job ? renderArray(state, job) : renderJob(state, job, now, rooms);
    if (fateOf(job) === "holds") return withName(api, { ...doc, ...(doc.state === "waiting" && { state: "running" }) });
    return withName(api, { ...doc, state: "waiting", ...(reason !== undefined && { reason }) });
  };
  const chosen = chosenJob(state, target, query.job);
  return {
    at: timestamp(at),
    row: api.feed.seq,
    oldest: timestamp(oldest),
    latest: timestamp(now + aheadMsMax),
    nodes: nodesFor(call, state, then),
    waiting: waits.length,
    holding: holds.length,
    jobs: [...byPriorityAndAge(waits), ...holds].slice(0, jobsMax).map(show),
    ...(chosen !== undefined && fateOf(chosen) !== undefined && { job: show(chosen) }),
    summary: summaryOf(state, target, { reasons, fateOf }),
    planned: {
      asOf: timestamp(now),
      started: starts.slice(0, blocksMax).map((each) => plannedBlock(state, each)),
      ended: ends
        .toSorted((a, b) => a.endsAt! - b.endsAt!)
        .slice(0, blocksMax)
        .map((each) => runningBlock(state, each, now)),
      startedJobs: starts.length,
      endedJobs: ends.length,
    },
  };
}
