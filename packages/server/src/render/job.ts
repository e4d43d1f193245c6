import {
  type AttemptRecord,
  accountOf,
  type Instant,
  isRefusal,
  type Job,
  type JobArray,
  type JobEnded,
  type JobNo,
  type JobSpec,
  type KeptOutput,
  type Lease,
  leaseIdOf,
  nodeName,
  parseJob,
  type RawJob,
  type ReadonlyState,
  type Reason,
  type Rooms,
  reasonFor,
  unitsPerGpu,
} from "@tessera/core";
import {
  type Attempt,
  type JobCreated,
  type Member,
  type Output,
  reasonSentence,
  type WaitReason,
  type Job as WireJob,
} from "@tessera/wire";
import { renderPart } from "./part.ts";
import { timestamp } from "./quantities.ts";
import { renderSpec } from "./spec.ts";
import { waitsAgain } from "./waits-again.ts";

/** A start of a job that is over, with the members it had. */
export interface PastAttempt extends Attempt {
  readonly members: readonly Member[];
}

/** GPUs of this many members under one of the alternatives, in thousandths where it asks for parts. */
export function gangGpus({ gpus, members }: JobSpec, choice: number, count = members.min): number {
  const { count: gpusEach, unitsEach, part } = gpus[choice]!;
  if (part === undefined) return gpusEach * count;
  // The profile alone tells sevenths of compute; other parts say how much they want, or leave it to the device.
  const sevenths = part.profile === undefined ? undefined : Number.parseInt(part.profile, 10) / 7;
  return Math.round((sevenths ?? unitsEach / unitsPerGpu) * count * 1000) / 1000;
}

/** GPUs that leases hold, in thousandths. */
export function heldGpus(leases: readonly Lease[]): number {
  const units = leases.reduce((sum, { gpus, unitsEach }) => sum + gpus.length * unitsEach, 0);
  return Math.round((units * 1000) / unitsPerGpu) / 1000;
}

export function renderReason(reason: Reason): WaitReason {
  const { kind, values: _, engines: __, until, ...rest } = reason;
  return {
    kind,
    detail: reasonSentence(reason),
    ...rest,
    ...(until !== undefined && { until: timestamp(until) }),
    ...(kind === "dependency" && { waitsFor: [...reason.values.awaited] }),
    ...(kind === "budget" && { of: reason.values.of }),
  };
}

export function renderMember(state: ReadonlyState, lease: Lease): Member {
  return {
    rank: lease.rank,
    lease: lease.id,
    node: nameOf(state, lease.node),
    gpus: lease.gpus.map((gpu) => state.fleet.gpuUuid[gpu]!),
    state: lease.state,
    ...renderPart(state, lease),
    ...(lease.devices !== undefined && { devices: [...lease.devices] }),
    ...(lease.enforcement !== undefined && { enforcement: lease.enforcement }),
    ...(lease.startedAt !== undefined && { startedAt: timestamp(lease.startedAt) }),
  };
}

/** The name of a node; empty where it has left the fleet. */
function nameOf({ fleet }: ReadonlyState, no: number): string {
  const node = fleet.nodes[no];
  return node === undefined ? "" : nodeName(fleet, node);
}

/** What does not change while a job lives. */
function fixed(state: ReadonlyState, job: Job | JobArray) {
  const { spec } = job;
  return {
    id: job.id,
    name: spec.name,
    project: accountOf(state, job.account).path,
    user: job.user,
    type: spec.type,
    priority: spec.priority,
    submittedAt: timestamp(job.submittedAt),
    ...(spec.labels !== undefined && { labels: spec.labels }),
    spec: renderSpec(spec),
  };
}

/** A start that is over, as it is shown. */
export function pastAttempt(state: ReadonlyState, job: Job, record: AttemptRecord): PastAttempt {
  const { attempt, seats, placedAt, startedAt, endedAt, result, why, exitCode } = record;
  const members = seats.map((seat, rank) => ({
    rank,
    lease: leaseIdOf(job.id, attempt, rank),
    node: nameOf(state, seat.node),
    gpus: seat.gpus.map((gpu) => state.fleet.gpuUuid[gpu]!),
    state: "ended",
  }));
  return {
    attempt,
    nodes: members.map((member) => member.node),
    placedAt: timestamp(placedAt),
    ...(startedAt > 0 && { startedAt: timestamp(startedAt) }),
    endedAt: timestamp(endedAt),
    result,
    ...(why !== undefined && { why }),
    ...(exitCode !== undefined && { exitCode }),
    members,
  };
}

/** A live job as the API shows it. A list of them shares the rooms that reasons are found with. */
export function renderJob(state: ReadonlyState, job: Job, now: Instant, rooms?: Rooms): WireJob {
  const waiting = job.state === "waiting";
  const detail = job.stopWhy === undefined ? waitsAgain(job) : `It must leave: ${job.stopWhy}.`;
  return {
    ...fixed(state, job),
    state: job.state,
    held: job.held,
    ...(waiting ? { reason: renderReason(reasonFor(state, job, now, rooms)) } : { class: job.class }),
    attempt: job.attempt,
    // What it holds now: an elastic job may have more members than it asked for at least.
    gpus: waiting ? gangGpus(job.spec, job.choice) : heldGpus(job.leases),
    gpuModel: modelOf(state, job, job.leases[0]?.gpus[0]),
    members: job.leases.map((lease) => renderMember(state, lease)),
    ...(detail !== undefined && { detail }),
    ...(job.attempts.length > 0 && { attempts: job.attempts.map((record) => shownAttempt(state, job, record)) }),
    ...(!waiting && { placedAt: timestamp(job.placedAt) }),
    ...(!waiting && job.startedAt > 0 && { startedAt: timestamp(job.startedAt) }),
    ...elementOf(state, job),
  };
}

function shownAttempt(state: ReadonlyState, job: Job, record: AttemptRecord): Attempt {
  return withoutMembers(pastAttempt(state, job, record));
}

function withoutMembers({ members: _, ...attempt }: PastAttempt): Attempt {
  return attempt;
}

/** The model of the GPU that it holds or held; before that the one it asks for. */
function modelOf({ fleet }: ReadonlyState, job: Job, gpu: number | undefined): string {
  return gpu === undefined ? job.spec.gpus[job.choice]!.model : fleet.models[fleet.gpuModel[gpu]!]!;
}

function elementOf(state: ReadonlyState, job: Job) {
  if (job.array === undefined || job.index === undefined) return {};
  return { array: { id: state.arrays.get(job.array)!.id, index: job.index } };
}

/** A live array as a whole. */
export function renderArray(state: ReadonlyState, array: JobArray): WireJob {
  const { size, live, active, succeeded } = array;
  return {
    ...fixed(state, array),
    state: active > 0 ? "running" : "waiting",
    held: firstWaiting(state, array)?.held ?? array.later?.held ?? false,
    attempt: 1,
    gpus: gangGpus(array.spec, 0),
    gpuModel: array.spec.gpus[0]!.model,
    members: [],
    elements: { size, waiting: live - active, active, succeeded, failed: size - live - succeeded },
  };
}

function firstWaiting(state: ReadonlyState, array: JobArray): Job | undefined {
  for (let no = array.no + 1; no <= array.no + array.size; no++) {
    const element = state.jobs.get(no as JobNo);
    if (element?.state === "waiting") return element;
  }
  return undefined;
}

const endings: Readonly<Record<JobEnded["outcome"], string>> = {
  succeeded: "It succeeded.",
  failed: "It failed.",
  cancelled: "It was cancelled.",
  "timed-out": "It reached its time limit.",
  "infra-failed": "The platform could not run it to an end.",
  preempted: "It was preempted and does not come back.",
  "dependency-failed": "A job that it was to run after did not succeed.",
  "deadline-passed": "Its deadline passed.",
  "over-budget": "Its own budget is spent.",
};

function detailOf(event: JobEnded): string {
  if (event.reason !== undefined) return event.reason;
  if (event.outcome !== "failed" || event.exitCode === undefined) return endings[event.outcome];
  return `It exited with code ${event.exitCode}.`;
}

/**
 * A job as it is shown for ever after its end; `state` is the one before the event. It names its user by id only, so
 * that a person can be erased and the document can be rebuilt from the journal.
 */
export function endedJobDoc(
  state: ReadonlyState,
  job: Job,
  event: JobEnded,
  attempts: readonly PastAttempt[],
): WireJob {
  const last = attempts.at(-1);
  const started = attempts.find((attempt) => attempt.startedAt !== undefined)?.startedAt;
  return {
    ...fixed(state, job),
    state: "ended",
    held: false,
    outcome: event.outcome,
    ...(event.exitCode !== undefined && { exitCode: event.exitCode }),
    detail: detailOf(event),
    ...(last !== undefined && { class: job.class }),
    attempt: last?.attempt ?? job.attempt,
    gpus: gangGpus(job.spec, job.choice),
    gpuModel: modelOf(state, job, job.seats[0]?.gpus[0]),
    members: last === undefined ? [] : [...last.members],
    attempts: attempts.map(withoutMembers),
    ...(started !== undefined && { startedAt: started }),
    endedAt: timestamp(event.ranUntil ?? event.at),
    ...(job.outputs !== undefined && { outputs: renderOutputs(job.outputs) }),
    ...elementOf(state, job),
  };
}

/** By rank, whichever member ended first. */
function renderOutputs(outputs: readonly KeptOutput[]): Output[] {
  return outputs.map(({ rank = 0, ...kept }) => ({ ...kept, rank })).sort((a, b) => a.rank - b.rank);
}

/** An array as a whole after the end of its last element, of which `event` tells; `state` is the one before it. */
export function endedArrayDoc(state: ReadonlyState, array: JobArray, event: JobEnded): WireJob {
  const succeeded = array.succeeded + (event.outcome === "succeeded" ? 1 : 0);
  const all = succeeded === array.size;
  const failed = array.size - succeeded;
  const lastCode = event.exitCode ?? (event.outcome === "succeeded" ? 0 : 1);
  return {
    ...fixed(state, array),
    state: "ended",
    held: false,
    outcome: all ? "succeeded" : event.outcome === "cancelled" ? "cancelled" : "failed",
    exitCode: Math.max(array.exitCodeMax, lastCode),
    detail: all ? "All elements succeeded." : `${failed} of ${array.size} elements did not succeed.`,
    attempt: 1,
    gpus: gangGpus(array.spec, 0),
    gpuModel: array.spec.gpus[0]!.model,
    members: [],
    endedAt: timestamp(event.at),
    elements: { size: array.size, waiting: 0, active: 0, succeeded, failed },
  };
}

/** What a create answers: only what it fixed, so that it can be said again whatever has become of the job since. */
export function jobCreated(state: ReadonlyState, job: Job | JobArray): JobCreated {
  return {
    id: job.id,
    name: job.spec.name,
    project: accountOf(state, job.account).path,
    user: job.user,
    state: "waiting",
    size: "size" in job ? job.size : 1,
    gpus: gangGpus(job.spec, 0),
    submittedAt: timestamp(job.submittedAt),
  };
}

/** The same from the document of a job that has ended in the meantime. Its spec is a job file, and is read as one. */
export function jobCreatedFromDoc(doc: WireJob): JobCreated {
  const { id, name, project, user, submittedAt, elements } = doc;
  const spec = parseJob(doc.spec as unknown as RawJob, { after: [] });
  const gpus = isRefusal(spec) ? doc.gpus : gangGpus(spec, 0);
  return { id, name, project, user, state: "waiting", size: elements?.size ?? 1, gpus, submittedAt };
}
