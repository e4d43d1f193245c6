import type {
  Event,
  JobEdited,
  JobEnded,
  JobHeld,
  JobLabelled,
  JobPlaced,
  JobRequeued,
  JobSubmitted,
} from "../../journal/event.ts";
import { noteLength } from "../../learn/lengths.ts";
import { noteEnd, noteSubmission } from "../../learn/pace.ts";
import { type JobId, type JobNo, noAccount } from "../../model/ids.ts";
import { type AttemptRecord, attemptsKept, elementAt, evictionsKept, type Job, type JobSpec } from "../../model/job.ts";
import { labelsWith } from "../../model/labels.ts";
import type { Lease } from "../../model/lease.ts";
import { accountOf } from "../../quota/accounts.ts";
import { jobOf } from "../live-jobs.ts";
import type { State } from "../state.ts";
import { wishOf } from "../wish-of.ts";
import { activate, countClass, deactivate, noteMayLeave } from "./active.ts";
import { claimed, countClaim, dropClaim } from "./claims.ts";
import { countWaiting } from "./count-usage.ts";
import { dependOn, renumberDependents, settleDependents } from "./dependents.ts";
import { arrayHeld, countUnmade, elementsMade, freshMayDiffer, isFresh, noLongerFresh, refill } from "./elements.ts";
import { addJob, removeJob } from "./enter.ts";
import { holdLease, memberOf } from "./leases.ts";
import { arraySize, foreknown, newJob, usualMsOf } from "./new-job.ts";
import { dropPlan, leaveQueue, queueOrPark } from "./queued.ts";

type JobEvent = Extract<Event, { kind: `job-${string}` | "claim-dropped" | "plan-dropped" | "elements-made" }>;

/** The part of `apply` that follows jobs from submission to their end. */
export function applyToJobs(state: State, event: JobEvent): void {
  switch (event.kind) {
    case "job-submitted":
      submitted(state, event);
      return;
    case "job-held":
      held(state, event);
      return;
    case "elements-made":
      elementsMade(state, event);
      return;
    case "job-entered":
    case "job-idle":
      jobOf(state, event.job);
      return;
    case "job-edited":
      edited(state, event);
      return;
    case "job-labelled":
      labelled(state, event);
      return;
    case "job-planned": {
      const job = jobOf(state, event.job);
      if (job.state !== "waiting") throw new Error(`job ${job.id} gets a planned start and is ${job.state}`);
      state.planned.add(job);
      return;
    }
    case "plan-dropped":
      dropPlan(state, jobOf(state, event.job));
      return;
    case "job-claimed":
      claimed(state, event);
      return;
    case "claim-dropped": {
      const job = jobOf(state, event.job);
      dropClaim(state, job);
      if (job.state === "waiting") unclass(job);
      queueOrPark(state, job);
      return;
    }
    case "job-classed": {
      const job = jobOf(state, event.job);
      countClass(state, job, -1);
      job.class = event.class;
      job.cover = event.cover;
      countClass(state, job, 1);
      noteMayLeave(state, job);
      state.fleet.touch(job.leases);
      return;
    }
    case "job-placed":
      placed(state, event);
      return;
    case "job-grown": {
      const job = jobOf(state, event.job);
      if (job.leases.length === 0) throw new Error(`job ${job.id} grows and holds no seats`);
      const members = event.seats.map((seat, i) => memberOf(job, event, seat, job.seats.length + i, true));
      job.seats = [...job.seats, ...event.seats];
      job.leases = [...job.leases, ...members];
      state.waiting.roomChanged();
      for (const lease of members) holdLease(state, job, lease);
      return;
    }
    case "job-requeued":
      requeued(state, event);
      return;
    case "job-ended":
      ended(state, event);
      return;
  }
}

function held(state: State, event: JobHeld): void {
  const array = state.arrays.get(event.job);
  if (array !== undefined) {
    arrayHeld(state, array, event);
    return;
  }
  const job = jobOf(state, event.job);
  const wasFresh = isFresh(state, job);
  job.held = event.held;
  queueOrPark(state, job);
  freshMayDiffer(state, job, wasFresh);
}

function submitted(state: State, event: JobSubmitted): void {
  const { spec, account, user, id } = event;
  const size = arraySize(spec);
  if (event.job < state.nextJob) throw new Error(`job number ${event.job} is given out twice`);
  state.nextJob = event.job + 1 + size;
  noteSubmission(state, account, spec);
  state.arrivals.note(state.fleet, wishOf(state, { spec }).arrival, Math.max(1, size) * spec.members.min);
  const known = foreknown(state, event, Math.max(1, size));
  if (size === 0) {
    addJob(state, newJob(event, event.waitsFor.length, event.job, id, undefined, undefined, known));
    for (const before of event.waitsFor) dependOn(state, event.job, before, spec);
    return;
  }
  state.arrays.set(event.job, {
    spec,
    account,
    user,
    submittedAt: event.at,
    no: event.job,
    id,
    size,
    live: size,
    active: 0,
    succeeded: 0,
    exitCodeMax: 0,
  });
  const array = state.arrays.get(event.job)!;
  state.arrayById.set(id, array);
  if (event.window !== undefined && event.window < size) {
    array.later = { window: event.window, fresh: 0, next: 0, ahead: [], held: false, ...known };
    countUnmade(state, array);
    refill(state, array);
    return;
  }
  for (let i = 0; i < size; i++) {
    const index = elementAt(spec.array!, i);
    const no = (event.job + 1 + i) as JobNo;
    addJob(state, newJob(event, event.waitsFor.length, no, `${id}.${index}` as JobId, event.job, index, known));
    for (const before of event.waitsFor) dependOn(state, no, before, spec);
  }
}

function placed(state: State, event: JobPlaced): void {
  const job = jobOf(state, event.job);
  if (job.state !== "waiting") throw new Error(`job ${job.id} is placed and is ${job.state}`);
  const wasFresh = job.array !== undefined && isFresh(state, job);
  dropClaim(state, job);
  leaveQueue(state, job);
  countWaiting(state, job, -1);
  job.state = "starting";
  job.attempt = event.attempt;
  job.choice = event.choice;
  job.class = event.class;
  job.cover = event.cover;
  job.placedAt = event.at;
  job.startedAt = 0;
  job.usualMs = usualMsOf(state, job);
  job.stopCause = undefined;
  job.stopWhy = undefined;
  job.exitCode = undefined;
  job.endReason = undefined;
  job.fault = undefined;
  job.done = undefined;
  job.outputs = undefined;
  job.seats = event.seats;
  job.leases = membersOf(job, event);
  if (job.array !== undefined) state.arrays.get(job.array)!.active++;
  activate(state, job);
  // The job can be a victim from now on, and may use room that a guarantee had left to others.
  state.waiting.roomChanged();
  state.waiting.listener.classesMayChange(job.account);
  for (const lease of job.leases) holdLease(state, job, lease);
  if (wasFresh) noLongerFresh(state, job.array!);
}

function membersOf(job: Job, event: JobPlaced): Lease[] {
  const { seats } = event;
  const members = [memberOf(job, event, seats[0]!, 0)];
  for (let rank = 1; rank < seats.length; rank++) members.push(memberOf(job, event, seats[rank]!, rank));
  return members;
}

/** The present attempt as the job's history keeps it once it is over. */
export function attemptOf(job: Job, endedAt: number, result: string): AttemptRecord {
  const { attempt, seats, placedAt, startedAt, stopWhy: why, exitCode } = job;
  return { attempt, seats, placedAt, startedAt, endedAt, result, why, exitCode };
}

function requeued(state: State, event: JobRequeued): void {
  const job = jobOf(state, event.job);
  if (job.state === "waiting") throw new Error(`job ${job.id} is requeued and waits already`);
  if (job.leases.length > 0) throw new Error(`job ${job.id} is requeued while it holds ${job.leases.length} leases`);
  if (job.array !== undefined) state.arrays.get(job.array)!.active--;
  const attempt = attemptOf(job, event.ranUntil ?? event.at, event.cause);
  const fault = event.cause === "failed" ? job.fault : undefined;
  rememberAttempt(job, fault === undefined ? attempt : { ...attempt, why: fault });
  job.state = "waiting";
  job.seats = [];
  job.attempt = event.attempt;
  deactivate(state, job);
  // A job that is moved keeps its class on the seats that are held for it.
  if (job.claim === undefined) unclass(job);
  else countClaim(state, job, 1);
  if (event.cause === "failed") job.failures++;
  else if (!byIntent.has(event.cause)) job.evictions++;
  if (event.cause === "preempted") job.evictedAt = [...job.evictedAt, event.at].slice(-evictionsKept);
  if (event.alone === true) job.alone = true;
  job.notBeforeAt = event.notBeforeAt;
  job.stopCause = undefined;
  job.stopWhy = undefined;
  job.exitCode = undefined;
  job.endReason = undefined;
  job.fault = undefined;
  job.done = undefined;
  job.outputs = undefined;
  job.usualMs = usualMsOf(state, job);
  countWaiting(state, job, 1);
  queueOrPark(state, job);
}

/** Causes of a requeue that are no eviction: a move, and what its user asked for. */
const byIntent: ReadonlySet<JobRequeued["cause"]> = new Set(["moved", "suspended", "requeued"]);

function rememberAttempt(job: Job, attempt: AttemptRecord): void {
  const forgotten = job.attempts.length < attemptsKept ? undefined : job.attempts[0];
  job.attempts = [...job.attempts, attempt].slice(-attemptsKept);
  if (forgotten === undefined || forgotten.startedAt === 0) return;
  job.ranBeforeMs = (job.ranBeforeMs ?? 0) + forgotten.endedAt - forgotten.startedAt;
}

function unclass(job: Job): void {
  job.class = "burst";
  job.cover = noAccount;
}

function ended(state: State, event: JobEnded): void {
  const job = jobOf(state, event.job);
  if (job.leases.length > 0) throw new Error(`job ${job.id} ends while it holds ${job.leases.length} leases`);
  if (event.outcome === "succeeded") {
    noteEnd(state, job, event.ranUntil ?? event.at);
    noteLength(state, job, event.at);
  }
  if (event.outcome === "succeeded" || event.outcome === "failed") state.runTimes.note(job, event.at);
  const wasFresh = job.array !== undefined && isFresh(state, job);
  removeJob(state, job);
  settleDependents(state, job.no);
  if (job.array === undefined) return;
  if (wasFresh) noLongerFresh(state, job.array);
  const array = state.arrays.get(job.array)!;
  array.live--;
  if (event.outcome === "succeeded") array.succeeded++;
  array.exitCodeMax = Math.max(array.exitCodeMax, event.exitCode ?? (event.outcome === "succeeded" ? 0 : 1));
  if (array.live > 0) return;
  state.arrays.delete(array.no);
  state.arrayById.delete(array.id);
  settleDependents(state, array.no);
}

/** The job leaves every index and enters them again as it is now: nothing may depend on what it was. */
function edited(state: State, { job: no, spec, as }: JobEdited): void {
  const array = state.arrays.get(no);
  if (array === undefined) {
    replaceSpec(state, jobOf(state, no), spec, as ?? no);
    if (as === undefined) return;
    state.nextJob = as + 1;
    renumberDependents(state, no, as);
    return;
  }
  array.spec = spec;
  if (array.later !== undefined) array.later.usualMs = usualMsOf(state, array);
  for (let element = no + 1; element <= no + array.size; element++) {
    const job = state.jobs.get(element as JobNo);
    if (job?.state === "waiting") replaceSpec(state, job, spec, job.no);
  }
}

/** Only the load counts labels, so the job keeps its place in all other indexes; jobs that shared a spec share one again. */
function labelled(state: State, { job: no, set, drop = [] }: JobLabelled): void {
  const specs = new Map<JobSpec, JobSpec>();
  const labelledAs = (before: JobSpec): JobSpec => {
    const spec = specs.get(before) ?? { ...before, labels: labelsWith(before.labels, set, drop) };
    specs.set(before, spec);
    return spec;
  };
  const relabel = (job: Job): void => {
    const { tenant } = accountOf(state, job.account);
    state.load.letGo(tenant, job);
    job.spec = labelledAs(job.spec);
    state.load.hold(tenant, job);
  };
  const array = state.arrays.get(no);
  if (array === undefined) {
    relabel(jobOf(state, no));
    return;
  }
  for (let element = no + 1; element <= no + array.size; element++) {
    const job = state.jobs.get(element as JobNo);
    if (job !== undefined) relabel(job);
  }
  array.spec = labelledAs(array.spec);
}

function replaceSpec(state: State, job: Job, spec: JobSpec, no: JobNo): void {
  if (job.state !== "waiting") throw new Error(`job ${job.id} is edited and is ${job.state}`);
  removeJob(state, job);
  unclass(job);
  // The end of a retry back-off stays; a time that the user gives takes its place.
  const early = spec.notBeforeAt === job.spec.notBeforeAt ? job.notBeforeAt : (spec.notBeforeAt ?? 0);
  const changed: Job = { ...job, no, spec, notBeforeAt: early };
  changed.usualMs = usualMsOf(state, changed);
  addJob(state, changed);
}
