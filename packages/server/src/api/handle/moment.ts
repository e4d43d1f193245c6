import { type Account, type Instant, isRefusal, type Job, type JobArray, parseDuration } from "@tessera/core";
import type { Moment } from "@tessera/wire";
import { Past } from "../../flow/past/past.ts";
import { aheadMsMax, expectAt, planDaysMax } from "../../flow/plan/expect.ts";
import { instantOrAgo } from "../../flow/zones.ts";
import { fleetMap } from "../../render/fleet-map.ts";
import { renderArray, renderJob } from "../../render/job.ts";
import { plannedBlock, runningBlock } from "../../render/plan.ts";
import { timestamp } from "../../render/quantities.ts";
import type { StoreReader } from "../../store/port.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Call, Handler } from "../context.ts";
import { jobFilter, liveJobs, matchesLive, shownState } from "../list/job-filter.ts";
import { withName } from "../list/job-show.ts";

/** One for each store: it remembers the moment that was shown last. */
const pasts = new WeakMap<StoreReader, Past>();

/** So many jobs are shown, those that wait first; all are counted. */
const jobsMax = 1_000;
/** So many starts and ends are listed; all are counted. */
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
    const { waiting = [], holding = [] } = Object.groupBy(liveJobs(state, jobFilter(api, roots, {})), (job) =>
      shownState(job) === "waiting" ? "waiting" : "holding",
    );
    const shown = [...waiting, ...holding].slice(0, jobsMax);
    return {
      at: timestamp(at),
      row: seq,
      oldest: timestamp(oldest.at),
      latest: timestamp(now + aheadMsMax),
      nodes: [...fleetMap(state, call.principal.user)],
      waiting: waiting.length,
      holding: holding.length,
      jobs: shown.map((job) => withName(api, "size" in job ? renderArray(state, job) : renderJob(state, job, at))),
    };
  },
};

interface Ahead {
  readonly now: Instant;
  readonly at: Instant;
  readonly oldest: Instant;
}

/** The fleet and the queue as they are planned to be; what comes meanwhile is not known. */
function plannedMoment(api: Api, { principal, target }: MomentCall, { now, at, oldest }: Ahead): Moment | Denial {
  const { state } = api.control;
  const then = expectAt(state, now, at);
  const isMine = mineOf(api, target);
  const starts = then.starts.filter(({ job }) => isMine(job));
  const ends = then.ends.filter(({ job }) => isMine(job));
  const started = new Set<number>(
    starts.flatMap(({ job }) => (job.array === undefined ? [job.no] : [job.no, job.array])),
  );
  const gone = new Set<Job | JobArray>([
    ...ends.map(({ job }) => job),
    ...starts.filter((start) => !then.comes.includes(start)).map(({ job }) => job),
  ]);
  const waiting: (Job | JobArray)[] = [];
  const holding: (Job | JobArray)[] = [];
  for (const job of liveJobs(state, jobFilter(api, target, {}))) {
    if (gone.has(job)) continue;
    if (shownState(job) === "waiting" && !started.has(job.no)) waiting.push(job);
    else holding.push(job);
  }
  const shown = [...waiting, ...holding].slice(0, jobsMax).map((job) => {
    const { reason, ...doc } = "size" in job ? renderArray(state, job) : renderJob(state, job, now);
    const holds = started.has(job.no);
    return withName(api, { ...doc, ...(holds ? { state: "running" as const } : reason !== undefined && { reason }) });
  });
  return {
    at: timestamp(at),
    row: api.feed.seq,
    oldest: timestamp(oldest),
    latest: timestamp(now + aheadMsMax),
    nodes: [...fleetMap(state, principal.user, then)],
    waiting: waiting.length,
    holding: holding.length,
    jobs: shown,
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

/** Whether a live job, or the array of an element, is in these accounts. */
function mineOf(api: Api, roots: readonly Account[]): (job: Job) => boolean {
  const { state } = api.control;
  const filter = jobFilter(api, roots, {});
  return (job) => {
    const shown = job.array === undefined ? job : (state.arrays.get(job.array) ?? job);
    return matchesLive(state, filter, shown);
  };
}
