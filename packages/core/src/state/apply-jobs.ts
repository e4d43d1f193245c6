import type {
  Event,
  JobClaimed,
  JobEnded,
  JobGrown,
  JobPlaced,
  JobRequeued,
  JobSubmitted,
  LeaseEnded,
  Seat,
} from "../journal/event.ts";
import { type GpuNo, type JobId, type JobNo, leaseIdOf, noAccount } from "../model/ids.ts";
import {
  type AttemptRecord,
  attemptsKept,
  type Claim,
  evictionsKept,
  type Job,
  type JobSpec,
  shieldedUntil,
} from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import { hour, type Instant, unitsPerGpu } from "../model/units.ts";
import { afterSeats, beforeSeats } from "./dedicated.ts";
import { noteLength } from "./lengths.ts";
import { markHeld, markUnscrubbed } from "./marks.ts";
import { noteEnd, noteSubmission } from "./pace.ts";
import { accountOf, jobOf, orderOf, pathUp, type State, whoIs, wishOf } from "./state.ts";
import { countBurst, countCovered, countHolding, countLeaving, countWaiting, forgetIdleUser } from "./usage.ts";

type JobEvent = Extract<Event, { kind: `job-${string}` | `lease-${string}` | "claim-dropped" | "plan-dropped" }>;

/** The part of `apply` that follows jobs and leases from submission to their end. */
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
    case "job-planned":
      state.planned.set(jobOf(state, event.job), event.startsAt);
      return;
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
      const members = event.seats.map((seat, i) => memberOf(job, event, seat, job.seats.length + i, true));
      job.seats = [...job.seats, ...event.seats];
      job.leases = [...job.leases, ...members];
      state.waiting.wakeAll();
      for (const lease of members) holdLease(state, job, lease);
      return;
    }
    case "lease-scrubbed":
    case "lease-reshaped": {
      const lease = leaseOf(state, event.lease);
      lease.reportSequence = event.sequence;
      lease.since = event.at;
      const reshape = event.kind === "lease-scrubbed" ? lease.handover!.reshape : [];
      lease.handover = reshape.length > 0 ? { scrub: [], reshape } : undefined;
      return;
    }
    case "lease-prepared": {
      const lease = leaseOf(state, event.lease);
      lease.state = "prepared";
      lease.handover = undefined;
      lease.reportSequence = event.sequence;
      lease.engineId = event.engineId;
      lease.enforcement = event.enforcement;
      return;
    }
    case "lease-started": {
      const lease = leaseOf(state, event.lease);
      lease.reportSequence = event.sequence;
      lease.startedAt = event.at;
      if (lease.state !== "stopping") {
        lease.state = "running";
        lease.since = event.at;
      }
      const job = jobOf(state, lease.job);
      if (job.startedAt === 0) {
        job.startedAt = event.at;
        state.endings.note(job);
        noteMayLeave(state, job);
      }
      if (job.state === "starting" && job.leases.every((each) => each.extra || each.state === "running")) {
        job.state = "running";
      }
      return;
    }
    case "lease-stopping": {
      const lease = leaseOf(state, event.lease);
      if (event.sequence > 0) lease.reportSequence = event.sequence;
      const job = jobOf(state, lease.job);
      const wasLeaving = isLeaving(job, lease);
      if (lease.state !== "stopping") {
        lease.state = "stopping";
        lease.since = event.at;
        state.fleet.countLeaving(lease, 1);
      }
      if (event.cause !== "shrink") {
        job.state = "stopping";
        job.stopCause = event.cause;
        job.stopWhy = event.why;
        noteMayLeave(state, job);
      }
      if (!wasLeaving && isLeaving(job, lease)) countLeaving(state, job, lease, 1);
      return;
    }
    case "lease-ended":
      leaseEnded(state, event);
      return;
    case "job-requeued":
      requeued(state, event);
      return;
    case "job-ended":
      ended(state, event);
      return;
  }
}

/** Told to stop for good: what is only moved leaves its seat and stays with its account. */
function isLeaving(job: Job, lease: Lease): boolean {
  return lease.state === "stopping" && job.stopCause !== "move";
}

function leaseOf(state: State, id: Lease["id"]): Lease {
  const lease = state.leases.get(id);
  if (lease === undefined) throw new Error(`no live lease ${id}`);
  return lease;
}

/** How many elements an array has; 0 for a job that is none. */
export function arraySize(spec: JobSpec): number {
  return spec.array === undefined ? 0 : Math.floor((spec.array.last - spec.array.first) / spec.array.step) + 1;
}

function submitted(state: State, event: JobSubmitted): void {
  const { spec, account, user, id } = event;
  const size = arraySize(spec);
  state.nextJob = event.job + 1 + size;
  noteSubmission(state, account, spec);
  state.arrivals.note(state.fleet, wishOf(state, spec).arrival, Math.max(1, size) * spec.members.min);
  const usualMs = usualMsOf(state, event);
  if (size === 0) {
    addJob(state, newJob(event, event.waitsFor.length, event.job, id, undefined, undefined, usualMs));
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
    const index = spec.array!.first + i * spec.array!.step;
    const no = (event.job + 1 + i) as JobNo;
    addJob(state, newJob(event, event.waitsFor.length, no, `${id}.${index}` as JobId, event.job, index, usualMs));
    for (const before of event.waitsFor) dependOn(state, no, before, spec, state.jobs.get(before)?.id);
  }
}

/** How long others like a job took that does not say itself how long it needs. */
export function usualMsOf({ runTimes }: State, job: Pick<Job, "account" | "user" | "spec">): number | undefined {
  const { expectedMs, maxTimeMs } = job.spec;
  return expectedMs === undefined && maxTimeMs === undefined ? runTimes.usualMs(job) : undefined;
}

/** Lists of a job are replaced, never changed, so all jobs can begin with the same empty one. */
const none: never[] = [];

/** A job as it is when it has just been submitted, on its own or as an element of an array. */
export function newJob(
  { spec, account, user, at }: Pick<JobSubmitted, "spec" | "account" | "user" | "at">,
  waitsFor: number,
  no: JobNo,
  id: JobId,
  array?: JobNo,
  index?: number,
  usualMs?: number,
): Job {
  return {
    no,
    id,
    spec,
    account,
    user,
    submittedAt: at,
    array,
    index,
    usualMs,
    state: "waiting",
    held: false,
    attempt: 1,
    failures: 0,
    evictions: 0,
    notBeforeAt: spec.notBeforeAt ?? 0,
    choice: 0,
    class: "burst",
    cover: noAccount,
    evictedAt: none,
    leases: none,
    claim: undefined,
    seats: none,
    attempts: none,
    placedAt: 0,
    startedAt: 0,
    stopCause: undefined,
    stopWhy: undefined,
    exitCode: undefined,
    endReason: undefined,
    waitsFor,
  };
}

function dependOn(state: State, job: JobNo, before: JobNo, spec: JobSpec, beforeId: JobId | undefined): void {
  const id = beforeId ?? state.arrays.get(before)?.id;
  const when = spec.after.find((after) => after.job === id)?.when ?? "succeeded";
  const list = state.dependents.get(before);
  if (list === undefined) state.dependents.set(before, [{ job, when }]);
  else list.push({ job, when });
}

/** Enters a job that waits; also how a snapshot is read back. */
export function addJob(state: State, job: Job): void {
  state.jobs.set(job.no, job);
  state.jobById.set(job.id, job);
  accountOf(state, job.account).liveJobs++;
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

/** From here until its attempt is over the job is among those that hold something. */
function activate(state: State, job: Job): void {
  addUnder(state.active, job.account, job);
  state.endings.note(job);
  noteMayLeave(state, job);
  countPriority(state, job, 1);
  countCover(state, job, 1);
  if (isElastic(job)) state.elastic.add(job);
  if (job.spec.checkpoint !== undefined) state.resumable.add(job);
  exposeAt(state, job, job.placedAt + state.policy.minRuntimeMs);
  exposeAt(state, job, shieldedUntil(job));
}

/** From then on someone who waits may take it. */
function exposeAt(state: State, { no }: Job, at: Instant): void {
  if (at > state.clock) state.timers.add({ at, kind: "exposed", subject: no });
}

/** What decides whether others may take it, or what it would lose, has changed. */
function noteMayLeave(state: State, job: Job): void {
  state.burst.note(state, job);
  state.alike.note(state, job);
}

function isElastic({ spec }: Job): boolean {
  return spec.members.max > spec.members.min && spec.preemptible;
}

function deactivate(state: State, job: Job): void {
  deleteUnder(state.active, job.account, job);
  state.endings.note(job);
  noteMayLeave(state, job);
  state.resumable.delete(job);
  state.elastic.delete(job);
  countPriority(state, job, -1);
  countCover(state, job, -1);
}

function addUnder<Key>(jobsBy: Map<Key, Set<Job>>, key: Key, job: Job): void {
  const jobs = jobsBy.get(key);
  if (jobs === undefined) jobsBy.set(key, new Set([job]));
  else jobs.add(job);
}

function deleteUnder<Key>(jobsBy: Map<Key, Set<Job>>, key: Key, job: Job): void {
  const jobs = jobsBy.get(key);
  if (jobs?.delete(job) && jobs.size === 0) jobsBy.delete(key);
}

function countPriority(state: State, { account, spec }: Job, sign: 1 | -1): void {
  let counts = state.priorities.get(account);
  if (counts === undefined) {
    counts = new Map();
    state.priorities.set(account, counts);
  }
  const count = (counts.get(spec.priority) ?? 0) + sign;
  if (count > 0) counts.set(spec.priority, count);
  else counts.delete(spec.priority);
}

/** Enters a job under the account that covers it, or takes it out; burst jobs are only counted. */
function countCover(state: State, job: Job, sign: 1 | -1): void {
  if (job.cover === noAccount) {
    countBurst(state, job, sign);
    return;
  }
  if (sign > 0) addUnder(state.coveredBy, job.cover, job);
  else deleteUnder(state.coveredBy, job.cover, job);
}

function countClass(state: State, job: Job, sign: 1 | -1): void {
  countCover(state, job, sign);
  for (const lease of job.leases) if (!lease.extra) countCovered(state, job, lease, sign);
}

function claimed(state: State, event: JobClaimed): void {
  const job = jobOf(state, event.job);
  const { choice, cover, unitsEach, seats } = event;
  leaveQueue(state, job);
  keepClaim(state, job, { choice, unitsEach, seats, ...(cover !== undefined && { cover }) });
  // An account that claims its floor keeps less of what is free from others.
  if (state.lendingLimits > 0) state.waiting.wakeAll();
  const { moves } = event;
  if (moves === undefined) return;
  const recent = state.movedAt.filter((at) => at > event.at - hour);
  noteMoves(state, [...recent, ...moves.map(() => event.at)]);
}

/** Also how a snapshot is read back. */
export function noteMoves(state: State, movedAt: readonly Instant[]): void {
  state.movedAt = [...movedAt];
  for (const at of new Set(movedAt)) state.timers.add({ at: at + hour, kind: "moves", subject: 0 });
}

function keepClaim(state: State, job: Job, claim: Claim): void {
  const { cpusMilli, memoryMiB } = job.spec;
  job.claim = claim;
  state.claimants.add(job);
  leaveQueue(state, job);
  for (const seat of claim.seats) {
    addUnder(state.claims.on, seat.node, job);
    beforeSeats(state, seat.node);
    state.fleet.hold(seat.node, seat.gpus, job.no, cpusMilli, memoryMiB);
    afterSeats(state, job, seat.node, 1);
  }
  countClaim(state, job, 1);
}

/** What is held for a job is used by its account; but whoever still has its old seat uses that, and no second one [T9]. */
function countClaim(state: State, job: Job, sign: 1 | -1): void {
  const { claim } = job;
  if (claim === undefined || job.state !== "waiting") return;
  for (const seat of claim.seats) countHolding(state, job, holdingOf(seat, claim, job), sign);
}

function holdingOf({ gpus, part }: Claim["seats"][number], claim: Claim, { spec }: Job) {
  const { cpusMilli, memoryMiB } = spec;
  return { gpus, part, unitsEach: part?.compute ?? claim.unitsEach, cpusMilli, memoryMiB };
}

function dropClaim(state: State, job: Job): void {
  const { claim } = job;
  if (claim === undefined) return;
  const { cpusMilli, memoryMiB } = job.spec;
  countClaim(state, job, -1);
  job.claim = undefined;
  state.claimants.delete(job);
  state.claims.heldUp.delete(job);
  state.waiting.wakeAll();
  // What was held for it counted as its account's usage; without it a guarantee may have room for burst work [C3].
  state.classes.note(job.account);
  for (const seat of claim.seats) {
    deleteUnder(state.claims.on, seat.node, job);
    beforeSeats(state, seat.node);
    state.fleet.unhold(seat.node, seat.gpus, cpusMilli, memoryMiB);
    afterSeats(state, job, seat.node, -1);
  }
}

/** Who is not in the queue has no plan either. */
function leaveQueue(state: State, job: Job): void {
  state.waiting.remove(job);
  dropPlan(state, job);
}

/** What was kept for it is there for those behind it. */
function dropPlan(state: State, job: Job): void {
  if (state.planned.delete(job)) state.waiting.wakeAll();
}

/** A job that could start now is in the queue; one that is held, dependent or early is not. */
export function queueOrPark(state: State, job: Job): void {
  if (job.state !== "waiting" || job.held || job.waitsFor > 0 || job.claim !== undefined) {
    leaveQueue(state, job);
  } else if (job.notBeforeAt > state.clock) {
    leaveQueue(state, job);
    state.timers.add({ at: job.notBeforeAt, kind: "wake", subject: job.no });
  } else {
    state.waiting.add(job, wishOf(state, job.spec), orderOf(state, job.account));
  }
}

function placed(state: State, event: JobPlaced): void {
  const job = jobOf(state, event.job);
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
  job.seats = event.seats;
  job.leases = event.seats.map((seat, rank) => memberOf(job, event, seat, rank));
  if (job.array !== undefined) state.arrays.get(job.array)!.active++;
  activate(state, job);
  // Whoever has just started can be a victim, and may take room that a guarantee had left to others.
  state.waiting.wakeAll();
  state.classes.note(job.account);
  for (const lease of job.leases) holdLease(state, job, lease);
}

/** What must be done to the devices of one seat first. */
function handoverOf({ scrub = none, reshape = none }: JobPlaced | JobGrown, { gpus }: Seat): Lease["handover"] {
  if (scrub.length + reshape.length === 0) return undefined;
  const mine = (list: readonly GpuNo[]) => list.filter((gpu) => gpus.includes(gpu));
  const handover = { scrub: mine(scrub), reshape: mine(reshape) };
  return handover.scrub.length + handover.reshape.length === 0 ? undefined : handover;
}

/** A new member of the job's present attempt. */
function memberOf(job: Job, event: JobPlaced | JobGrown, seat: Seat, rank: number, extra?: true): Lease {
  const { id, no, attempt, spec } = job;
  const { node, gpus, part } = seat;
  return {
    id: leaseIdOf(id, attempt, rank),
    job: no,
    attempt,
    rank,
    node,
    gpus,
    unitsEach: part?.compute ?? event.unitsEach,
    part,
    cpusMilli: spec.cpusMilli,
    memoryMiB: spec.memoryMiB,
    placedAt: event.at,
    extra,
    handover: handoverOf(event, seat),
    state: "starting",
    since: event.at,
    engineId: undefined,
    reportSequence: 0,
    enforcement: undefined,
    startedAt: undefined,
  };
}

/** Counts a lease in everywhere; also how a snapshot is read back. */
export function holdLease(state: State, job: Job, lease: Lease): void {
  state.leases.count(1);
  beforeSeats(state, lease.node);
  state.fleet.take(lease, lease.part === undefined ? undefined : whoIs(state, job.account));
  markHeld(state, job, lease);
  afterSeats(state, job, lease.node, 1);
  countHolding(state, job, lease, 1);
  if (!lease.extra) countCovered(state, job, lease, 1);
  if (lease.state === "stopping") state.fleet.countLeaving(lease, 1);
  if (isLeaving(job, lease)) countLeaving(state, job, lease, 1);
  if (!canMove(job, lease)) return;
  addUnder(state.movable, lease.node, job);
}

/** Alone on whole GPUs, and able to go on elsewhere from where it is [T9]. */
function canMove({ spec }: Job, { unitsEach, gpus, part }: Lease): boolean {
  const whole = part === undefined && unitsEach === unitsPerGpu && gpus.length > 0;
  return whole && spec.checkpoint !== undefined && spec.preemptible && spec.members.max === 1;
}

function leaseEnded(state: State, event: LeaseEnded): void {
  const lease = leaseOf(state, event.lease);
  const job = jobOf(state, lease.job);
  state.leases.count(-1);
  state.waiting.wakeAll();
  state.waiting.relieve(job.account);
  state.classes.note(job.account);
  job.leases = job.leases.filter((each) => each !== lease);
  state.resumable.lessen(job);
  state.alike.note(state, job);
  markUnscrubbed(state, lease);
  beforeSeats(state, lease.node);
  state.fleet.give(lease);
  for (const gpu of lease.part === undefined ? [] : lease.gpus)
    if (state.fleet.parts.has(gpu)) state.fleet.partsChangedAt.set(gpu, event.at);
  afterSeats(state, job, lease.node, -1);
  countHolding(state, job, lease, -1);
  if (!lease.extra) countCovered(state, job, lease, -1);
  if (lease.state === "stopping") state.fleet.countLeaving(lease, -1);
  if (isLeaving(job, lease)) countLeaving(state, job, lease, -1);
  deleteUnder(state.movable, lease.node, job);
  const units = lease.unitsEach * lease.gpus.length;
  for (const account of pathUp(state, job.account)) {
    const limit = account.terms.limits.gpuTime;
    if (limit === undefined) continue;
    const from = event.at - (event.at % limit.everyMs);
    const window = state.gpuTime.get(account.no);
    const unitMs = units * (event.at - Math.max(from, lease.placedAt));
    if (window === undefined || window.from !== from) state.gpuTime.set(account.no, { from, unitMs });
    else window.unitMs += unitMs;
  }
  // A member that was asked to leave says nothing about the job.
  if (lease.extra && lease.state === "stopping" && job.state !== "stopping") return;
  // The first member that ends badly speaks for the job.
  if (event.exitCode !== undefined && (job.exitCode === undefined || job.exitCode === 0)) job.exitCode = event.exitCode;
  if (event.reason !== undefined) job.endReason ??= event.reason;
}

/** The present attempt, as it is remembered once it is over. */
export function attemptOf(job: Job, endedAt: number, result: string): AttemptRecord {
  const { attempt, seats, placedAt, startedAt, stopWhy: why, exitCode } = job;
  return { attempt, seats, placedAt, startedAt, endedAt, result, why, exitCode };
}

function requeued(state: State, event: JobRequeued): void {
  const job = jobOf(state, event.job);
  if (job.array !== undefined) state.arrays.get(job.array)!.active--;
  rememberAttempt(job, attemptOf(job, event.at, event.cause));
  job.state = "waiting";
  job.seats = [];
  job.attempt = event.attempt;
  deactivate(state, job);
  // Whoever is moved keeps its class on the seats that are held for it.
  if (job.claim === undefined) unclass(job);
  else countClaim(state, job, 1);
  if (event.cause === "failed") job.failures++;
  else if (event.cause !== "moved") job.evictions++;
  if (event.cause === "preempted") job.evictedAt = [...job.evictedAt, event.at].slice(-evictionsKept);
  job.notBeforeAt = event.notBeforeAt;
  job.stopCause = undefined;
  job.stopWhy = undefined;
  job.exitCode = undefined;
  job.endReason = undefined;
  job.usualMs = usualMsOf(state, job);
  countWaiting(state, job, 1);
  queueOrPark(state, job);
}

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
  if (event.outcome === "succeeded") {
    noteEnd(state, job, event.at);
    noteLength(state, job, event.at);
  }
  if (event.outcome === "succeeded" || event.outcome === "failed") state.runTimes.note(job, event.at);
  if (job.leases.length > 0) throw new Error(`job ${job.id} ends while it holds ${job.leases.length} leases`);
  dropClaim(state, job);
  if (job.state === "waiting") {
    leaveQueue(state, job);
    countWaiting(state, job, -1);
  } else {
    deactivate(state, job);
    if (job.array !== undefined) state.arrays.get(job.array)!.active--;
  }
  forgetIdleUser(state, job);
  state.jobs.delete(job.no);
  state.jobById.delete(job.id);
  state.priced.delete(job);
  accountOf(state, job.account).liveJobs--;
  if (job.spec.apartFrom !== undefined) state.apart.count(job, -1);
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

/** Those whose wish was not met are ended by their own events in the same batch; the others have one less to wait for. */
function settleDependents(state: State, no: JobNo): void {
  for (const { job } of state.dependents.get(no) ?? []) {
    const waiting = state.jobs.get(job);
    if (waiting === undefined) continue;
    waiting.waitsFor--;
    queueOrPark(state, waiting);
  }
  state.dependents.delete(no);
}
