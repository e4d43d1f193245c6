import { type JobId, possibleParts, refuse } from "@tessera/core";
import type { Explanation, Job as WireJob } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import type { Principal } from "../../access/principal.ts";
import { explainWaiting } from "../../flow/explain/explain.ts";
import { type FoundJob, liveById } from "../../flow/find/find-job.ts";
import { dryRunJob } from "../../flow/submit/dry-run.ts";
import { editJob } from "../../flow/submit/edit.ts";
import { applyJob, createdJob, submitJob } from "../../flow/submit/submit.ts";
import { renderOffer } from "../../render/part.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { jobFilter, waitingOne } from "../list/job-filter.ts";
import { showEnded, showLive, withCost, withEnergy, withFailed } from "../list/job-show.ts";
import { listJobs } from "../list/jobs.ts";
import { earlierResult } from "../request/repeat.ts";

type JobHandlers = {
  submitJob: Handler<"submitJob">;
  applyJob: Handler<"applyJob">;
  dryRunJob: Handler<"dryRunJob">;
  listJobs: Handler<"listJobs">;
  getJob: Handler<"getJob">;
  cancelJob: Handler<"cancelJob">;
  holdJob: Handler<"holdJob">;
  releaseJob: Handler<"releaseJob">;
  suspendJob: Handler<"suspendJob">;
  requeueJob: Handler<"requeueJob">;
  editJob: Handler<"editJob">;
  explainJob: Handler<"explainJob">;
};

type Control = "cancelJob" | "holdJob" | "releaseJob" | "suspendJob" | "requeueJob";

export const jobHandlers: JobHandlers = {
  submitJob(api, call) {
    const earlier = earlierResult(api, call);
    if (earlier === undefined) return submitJob(api, askerOf(call), call.principal.user, call.target, call.body);
    return typeof earlier === "string" ? createdJob(api, earlier) : earlier;
  },

  applyJob: (api, call) => applyJob(api, askerOf(call), call.principal.user, call.target, call.body),

  dryRunJob: (api, call) => dryRunJob(api, call.principal.user, call.target, call.body),

  listJobs: (api, call) => listJobs(api, call.principal, jobFilter(api, call.target, call.query), call.query),

  getJob: async (api, { principal, target }) => ({
    ...(await withEnergy(api, await withCost(api, await withFailed(api, show(api, principal, target))))),
    ...partsFor(api, target),
    ...idleFor(api, target),
  }),

  cancelJob(api, call) {
    if (call.body.force !== true) return control(api, call, "job.cancel");
    // Whoever may stop only their own jobs gives them the grace that others wait for, like everyone.
    const { state } = api.control;
    if (!may(state, call.principal.user, "job.control", call.target.account.no)) return cannotForce;
    return control(api, call, "job.cancel", { force: true });
  },
  holdJob: (api, call) => control(api, call, "job.hold"),
  releaseJob: (api, call) => control(api, call, "job.release"),
  suspendJob: (api, call) => control(api, call, "job.suspend"),
  requeueJob: (api, call) => control(api, call, "job.requeue"),

  async editJob(api, call) {
    const { target } = call;
    if ("ended" in target) return hasEnded(target.ended.id);
    const { id } = target.live;
    const done = await editJob(api, askerOf(call), call.principal.user, target.live, call.body);
    return isDenied(done) ? done : afterwards(api, call.principal, id);
  },

  async explainJob(api, { principal, target }): Promise<Explanation> {
    if ("ended" in target) return { job: target.ended.id, state: "ended" };
    const job = waitingOne(api.control.state, target.live);
    if (job !== undefined) return explainWaiting(api.control, principal.user, job);
    return { job: target.live.id, state: "size" in target.live ? "running" : target.live.state };
  },
};

function show(api: Api, principal: Principal, found: FoundJob): WireJob {
  const acts = new Acts(api.control.state, principal);
  return "live" in found ? showLive(api, acts, found.live) : showEnded(api, acts, found.ended);
}

/** What the parts of GPUs can be that a job waits for, and what would hold their limits. */
function partsFor({ control: { state } }: Api, found: FoundJob): Pick<WireJob, "parts"> {
  if (!("live" in found) || ("state" in found.live && found.live.state !== "waiting")) return {};
  const parts = possibleParts(state, found.live.account, found.live.spec).map(renderOffer);
  return parts.length === 0 ? {} : { parts };
}

async function control(
  api: Api,
  call: Call<Control>,
  kind: "job.cancel" | "job.hold" | "job.release" | "job.suspend" | "job.requeue",
  how: { readonly force?: true } = {},
): Promise<WireJob | Denial> {
  const { target } = call;
  if ("ended" in target) return hasEnded(target.ended.id);
  const id = target.live.id;
  const done = await api.control.ask({ kind, job: id, ...how }, askerOf(call));
  if (isDenied(done)) return done;
  return afterwards(api, call.principal, id);
}

const cannotForce = deny(
  "forbidden",
  "Only administrators of its account may cancel a job by force.",
  "Cancel it without force, or ask an administrator of the account.",
);

function hasEnded(id: string): Denial {
  return refuse("conflict", "job", id, "has ended", `run it again: tess rerun ${id}`);
}

/** What has become of the job: a waiting one that is cancelled has ended already. */
async function afterwards(api: Api, principal: Principal, id: JobId): Promise<WireJob> {
  const { state, reader } = api.control;
  const acts = new Acts(state, principal);
  const live = liveById(state, id);
  if (live !== undefined) return showLive(api, acts, live);
  const row = await reader.job(id);
  if (row === undefined) throw new Error(`job ${id} has ended and left no row`);
  return showEnded(api, acts, row);
}

/** What its user was warned of, while it holds. */
function idleFor({ idleWatch }: Api, target: FoundJob): Pick<WireJob, "idle"> {
  if (!("live" in target) || "size" in target.live) return {};
  const warning = idleWatch?.warningOf(target.live);
  if (warning === undefined) return {};
  const { since, activity, below, does, actsAt } = warning;
  const seen = { since: timestamp(since), activity: activity / 100, below: below / 100 };
  return { idle: { ...seen, does, actsAt: timestamp(actsAt) } };
}
