import { noSlot } from "../../collections/slots.ts";
import type { Event, JobEdited, JobEnded, JobPlaced, JobRequeued, JobSubmitted } from "../../journal/event.ts";
import { noteLength } from "../../learn/lengths.ts";
import { noteEnd, noteSubmission } from "../../learn/pace.ts";
import { type JobId, type JobNo, noAccount } from "../../model/ids.ts";
import { type AttemptRecord, attemptsKept, elementAt, evictionsKept, type Job, type JobSpec } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import { accountOf } from "../../quota/accounts.ts";
import { jobOf } from "../live-jobs.ts";
import type { State } from "../state.ts";
import { wishOf } from "../wish-of.ts";
import { activate, countClass, deactivate, noteMayLeave } from "./active.ts";
import { claimed, countClaim, dropClaim, keepClaim } from "./claims.ts";
import { countWaiting, forgetIdleUser } from "./count-usage.ts";
import { holdLease, memberOf } from "./leases.ts";
import { arraySize, foreknown, newJob, usualMsOf } from "./new-job.ts";
import { dropPlan, leaveQueue, queueOrPark } from "./queued.ts";

type JobEvent = Extract<Event, { kind: `job-${string}` | "claim-dropped" | "plan-dropped" }>;

/** The part of `apply` that follows jobs from submission to their end. */
export function applyToJobs(state: State, event: JobEvent): void {
  switch (event.kind) {
    case "job-submitted":
      submitted(state, event);
      return;
    case "job-held": {
      const job = jobOf(state, event.job);
      job.held = event.held;
      queueOrPark(state, job);
      return;
    }
    case "job-entered":
      jobOf(state, event.job);
      return;
    case "job-edited":
      edited(state, event);
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

function submitted(state: State, event: JobSubmitted): void {
  const { spec, account, user, id } = event;
  const size = arraySize(spec);
  if (event.job < state.nextJob) throw new Error(`job number ${event.job} is given out twice`);
  state.nextJob = event.job + 1 + size;
  noteSubmission(state, account, spec);
  state.arrivals.note(state.fleet, wishOf(state, spec).arrival, Math.max(1, size) * spec.members.min);
  const known = foreknown(state, event, Math.max(1, size));
  if (size === 0) {
    addJob(state, newJob(event, event.waitsFor.length, event.job, id, undefined, undefined, known));
    for (const before of event.waitsFor) dependOn(state, event.job, before, spec, state.jobs.get(before)?.id);
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
  state.arrayById.set(id, state.arrays.get(event.job)!);
  for (let i = 0; i < size; i++) {
    const index = elementAt(spec.array!, i);
    const no = (event.job + 1 + i) as JobNo;
    addJob(state, newJob(event, event.waitsFor.length, no, `${id}.${index}` as JobId, event.job, index, known));
    for (const before of event.waitsFor) dependOn(state, no, before, spec, state.jobs.get(before)?.id);
  }
}

function dependOn(state: State, job: JobNo, before: JobNo, spec: JobSpec, beforeId: JobId | undefined): void {
  const id = beforeId ?? state.arrays.get(before)?.id;
  const when = spec.after.find((after) => after.job === id)?.when ?? "succeeded";
  const list = state.dependents.get(before);
  if (list === undefined) state.dependents.set(before, [{ job, when }]);
  else list.push({ job, when });
}

/** Enters a job in all indexes; also how a snapshot is read back. */
export function addJob(state: State, job: Job): void {
  job.slot = state.slots.take();
  state.jobs.set(job.no, job);
  state.jobById.add(job);
  const account = accountOf(state, job.account);
  account.liveJobs++;
  state.load.hold(account.tenant, job);
  if (job.spec.apartFrom !== undefined) {
    state.apart.count(job, 1);
    state.waiting.regroup(job.account);
  }
  if (job.spec.maxPriceMicros !== undefined || job.spec.budgetMicros !== undefined) state.priced.add(job);
  if (job.spec.deadlineAt !== undefined)
    state.timers.add({ at: job.spec.deadlineAt, kind: "deadline", subject: job.no });
  if (job.state === "waiting") {
    countWaiting(state, job, 1);
    queueOrPark(state, job);
    if (job.claim !== undefined) keepClaim(state, job, job.claim);
  } else {
    activate(state, job);
    if (job.claim !== undefined) keepClaim(state, job, job.claim);
  }
}

function placed(state: State, event: JobPlaced): void {
  const job = jobOf(state, event.job);
  if (job.state !== "waiting") throw new Error(`job ${job.id} is placed and is ${job.state}`);
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
  rememberAttempt(job, attemptOf(job, event.ranUntil ?? event.at, event.cause));
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
  job.notBeforeAt = event.notBeforeAt;
  job.stopCause = undefined;
  job.stopWhy = undefined;
  job.exitCode = undefined;
  job.endReason = undefined;
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
  removeJob(state, job);
  settleDependents(state, job.no);
  if (job.array === undefined) return;
  const array = state.arrays.get(job.array)!;
  array.live--;
  if (event.outcome === "succeeded") array.succeeded++;
  array.exitCodeMax = Math.max(array.exitCodeMax, event.exitCode ?? (event.outcome === "succeeded" ? 0 : 1));
  if (array.live > 0) return;
  state.arrays.delete(array.no);
  state.arrayById.delete(array.id);
  settleDependents(state, array.no);
}

/** Takes a job out of all indexes that `addJob` entered it in. */
function removeJob(state: State, job: Job): void {
  dropClaim(state, job);
  if (job.state === "waiting") {
    leaveQueue(state, job);
    countWaiting(state, job, -1);
  } else {
    deactivate(state, job);
    if (job.array !== undefined) state.arrays.get(job.array)!.active--;
  }
  forgetIdleUser(state, job);
  state.slots.give(job.slot);
  job.slot = noSlot;
  state.jobs.delete(job.no);
  state.jobById.delete(job.id);
  state.priced.delete(job);
  const account = accountOf(state, job.account);
  account.liveJobs--;
  state.load.letGo(account.tenant, job);
  if (job.spec.apartFrom !== undefined) state.apart.count(job, -1);
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
  for (let element = no + 1; element <= no + array.size; element++) {
    const job = state.jobs.get(element as JobNo);
    if (job?.state === "waiting") replaceSpec(state, job, spec, job.no);
  }
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

/** The jobs that wait for it, and the jobs that it waits for, know it by its new number. */
function renumberDependents(state: State, from: JobNo, to: JobNo): void {
  const waiting = state.dependents.get(from);
  if (waiting !== undefined) {
    state.dependents.delete(from);
    state.dependents.set(to, waiting);
  }
  for (const [before, list] of state.dependents)
    if (list.some(({ job }) => job === from))
      state.dependents.set(
        before,
        list.map((each) => (each.job === from ? { ...each, job: to } : each)),
      );
}

/**
 * Each dependent has one job less to wait for. Dependents that needed it to succeed, and it did not, end by events of
 * their own in the same batch.
 */
function settleDependents(state: State, no: JobNo): void {
  for (const { job } of state.dependents.get(no) ?? []) {
    const waiting = state.jobs.get(job);
    if (waiting === undefined) continue;
    waiting.waitsFor--;
    queueOrPark(state, waiting);
  }
  state.dependents.delete(no);
}
