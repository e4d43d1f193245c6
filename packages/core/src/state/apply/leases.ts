import { addUnder, deleteUnder } from "../../collections/under.ts";
import type { Event, JobGrown, JobPlaced, LeaseEnded, Seat } from "../../journal/event.ts";
import { type GpuNo, leaseIdOf } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { killNow } from "../../model/kill-now.ts";
import type { Lease } from "../../model/lease.ts";
import { type Instant, unitsPerGpu } from "../../model/units.ts";
import { pathUp } from "../../quota/accounts.ts";
import { jobOf } from "../live-jobs.ts";
import { newcomerOf } from "../neighbours.ts";
import type { State } from "../state.ts";
import { noteMayLeave } from "./active.ts";
import { countCovered, countHolding, countLeaving } from "./count-usage.ts";
import { afterSeats, beforeSeats } from "./dedicated.ts";
import { markHeld, markUnscrubbed } from "./marks.ts";

type LeaseEvent = Extract<Event, { kind: `lease-${string}` }>;

/** The part of `apply` that follows one member of a job from its seat to its end. */
export function applyToLeases(state: State, event: LeaseEvent): void {
  switch (event.kind) {
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
      lease.devices = event.devices;
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
        if (event.cause === "cancel" && event.signal === killNow.signal) job.forced = true;
        noteMayLeave(state, job);
      }
      if (!wasLeaving && isLeaving(job, lease)) countLeaving(state, job, lease, 1);
      return;
    }
    case "lease-ended":
      leaseEnded(state, event);
      return;
  }
}

/** A new member of the job's present attempt. */
export function memberOf(job: Job, event: JobPlaced | JobGrown, seat: Seat, rank: number, extra?: true): Lease {
  const { id, no, attempt, spec } = job;
  const { node, gpus, part } = seat;
  const pool = event.pools?.find((each) => each.node === node);
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
    pool: pool?.pool,
    poolPerMille: pool?.perMille,
    handover: handoverOfSeat(event, seat),
    state: "starting",
    since: event.at,
    engineId: undefined,
    reportSequence: 0,
    enforcement: undefined,
    devices: undefined,
    startedAt: undefined,
  };
}

/** What the event says must be done to the devices of one seat before it is handed over. */
function handoverOfSeat({ scrub, reshape }: JobPlaced | JobGrown, { gpus }: Seat): Lease["handover"] {
  if (scrub === undefined && reshape === undefined) return undefined;
  const handover = { scrub: inBoth(scrub, gpus), reshape: inBoth(reshape, gpus) };
  return handover.scrub.length + handover.reshape.length === 0 ? undefined : handover;
}

function inBoth(list: readonly GpuNo[] = [], gpus: readonly GpuNo[]): GpuNo[] {
  return list.filter((gpu) => gpus.includes(gpu));
}

/** Counts a lease in every index. The fleet refuses a GPU that is taken. Also how a snapshot is read back. */
export function holdLease(state: State, job: Job, lease: Lease): void {
  state.leases.count(1);
  beforeSeats(state, lease.node);
  state.fleet.take(lease, lease.part === undefined ? undefined : newcomerOf(state, job));
  markHeld(state, job, lease);
  afterSeats(state, job, lease.node, 1);
  countHolding(state, job, lease, 1);
  if (lease.gpus.length === 0) state.load.seat(state.accounts[job.account]!.tenant, 1);
  state.endings.count(job, lease, 1);
  if (!lease.extra) countCovered(state, job, lease, 1);
  if (lease.state === "stopping") state.fleet.countLeaving(lease, 1);
  if (isLeaving(job, lease)) countLeaving(state, job, lease, 1);
  if (!canMove(job, lease)) return;
  addUnder(state.movable, lease.node, job);
}

/** Whether a job of one member on whole GPUs can go on elsewhere from its checkpoint [T9]. */
function canMove({ spec }: Job, { unitsEach, gpus, part }: Lease): boolean {
  const whole = part === undefined && unitsEach === unitsPerGpu && gpus.length > 0;
  return whole && spec.checkpoint !== undefined && spec.preemptible && spec.members.max === 1;
}

/** Whether a lease is stopping for good. A job that is moved leaves its seat, and its account goes on holding as much. */
function isLeaving(job: Job, lease: Lease): boolean {
  return lease.state === "stopping" && job.stopCause !== "move";
}

function leaseOf(state: State, id: Lease["id"]): Lease {
  const lease = state.leases.get(id);
  if (lease === undefined) throw new Error(`no live lease ${id}`);
  return lease;
}

function leaseEnded(state: State, event: LeaseEnded): void {
  const lease = leaseOf(state, event.lease);
  const job = jobOf(state, lease.job);
  state.leases.count(-1);
  state.waiting.roomChanged();
  state.waiting.listener.classesMayChange(job.account);
  job.leases = job.leases.filter((each) => each !== lease);
  state.victimClasses.note(state, job);
  markUnscrubbed(state, lease);
  beforeSeats(state, lease.node);
  state.fleet.give(lease);
  for (const gpu of lease.part === undefined ? [] : lease.gpus)
    if (state.fleet.parts.has(gpu)) state.fleet.partsChangedAt.set(gpu, event.at);
  afterSeats(state, job, lease.node, -1);
  countHolding(state, job, lease, -1);
  if (lease.gpus.length === 0) state.load.seat(state.accounts[job.account]!.tenant, -1);
  state.endings.count(job, lease, -1);
  if (!lease.extra) countCovered(state, job, lease, -1);
  if (lease.state === "stopping") state.fleet.countLeaving(lease, -1);
  if (isLeaving(job, lease)) countLeaving(state, job, lease, -1);
  deleteUnder(state.movable, lease.node, job);
  countGpuTime(state, job, lease, event.at);
  // The exit code of an extra member that had to leave says nothing about the job.
  if (lease.extra && lease.state === "stopping" && job.state !== "stopping") return;
  // The first bad exit of a member decides how the job ended.
  if (event.exitCode !== undefined && (job.exitCode === undefined || job.exitCode === 0)) job.exitCode = event.exitCode;
  if (event.reason !== undefined) job.endReason ??= event.reason;
  if (event.done === true) job.done = true;
  if (event.outputs !== undefined) job.outputs = [...(job.outputs ?? []), ...event.outputs];
}

/** Adds the time of a lease to the present window of each account on the job's path that limits GPU time. */
function countGpuTime(state: State, job: Job, { unitsEach, gpus, placedAt }: Lease, endedAt: Instant): void {
  for (const account of pathUp(state, job.account)) {
    const limit = account.terms.limits.gpuTime;
    if (limit === undefined) continue;
    const from = endedAt - (endedAt % limit.everyMs);
    const unitMs = unitsEach * gpus.length * (endedAt - Math.max(from, placedAt));
    const window = state.gpuTime.get(account.no);
    if (window === undefined || window.from !== from) state.gpuTime.set(account.no, { from, unitMs });
    else window.unitMs += unitMs;
  }
}
