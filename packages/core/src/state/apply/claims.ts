import { addUnder, deleteUnder } from "../../collections/under.ts";
import type { JobClaimed } from "../../journal/event.ts";
import type { Claim, Job } from "../../model/job.ts";
import { hour, type Instant } from "../../model/units.ts";
import { jobOf } from "../live-jobs.ts";
import type { State } from "../state.ts";
import { countHolding } from "./count-usage.ts";
import { afterSeats, beforeSeats } from "./dedicated.ts";
import { leaveQueue } from "./queued.ts";

/** Room is being made for a job: it leaves the queue, and its seats are held. */
export function claimed(state: State, event: JobClaimed): void {
  const job = jobOf(state, event.job);
  if (job.claim !== undefined) throw new Error(`job ${job.id} claims and has a claim already`);
  const { choice, cover, unitsEach, seats } = event;
  leaveQueue(state, job);
  keepClaim(state, job, { choice, unitsEach, seats, ...(cover !== undefined && { cover }) });
  // An account that claims its floor leaves more of the free room to others.
  if (state.lendingLimits > 0) state.waiting.roomChanged();
  const { moves } = event;
  if (moves === undefined) return;
  const recent = state.movedAt.filter((at) => at > event.at - hour);
  noteMoves(state, [...recent, ...moves.map(() => event.at)]);
}

/** Keeps when jobs were moved, each for an hour [T9]; also how a snapshot is read back. */
export function noteMoves(state: State, movedAt: readonly Instant[]): void {
  state.movedAt = [...movedAt];
  for (const at of new Set(movedAt)) state.timers.add({ at: at + hour, kind: "moves", subject: 0 });
}

/** Holds the seats of a claim; also how a snapshot is read back. */
export function keepClaim(state: State, job: Job, claim: Claim): void {
  const { cpusMilli, memoryMiB } = job.spec;
  job.claim = claim;
  state.claimants.add(job);
  leaveQueue(state, job);
  for (const seat of claim.seats) {
    addUnder(state.claimantsOn, seat.node, job);
    beforeSeats(state, seat.node);
    state.fleet.hold(seat.node, seat.gpus, job.no, cpusMilli, memoryMiB);
    afterSeats(state, job, seat.node, 1);
  }
  countClaim(state, job, 1);
}

/**
 * Seats held for a job count as usage of its account. A job that is moved counts by its old seats until it has left them
 * [T9].
 */
export function countClaim(state: State, job: Job, sign: 1 | -1): void {
  const { claim } = job;
  if (claim === undefined || job.state !== "waiting") return;
  for (const seat of claim.seats) countHolding(state, job, holdingOf(seat, claim, job), sign);
}

function holdingOf({ gpus, part }: Claim["seats"][number], claim: Claim, { spec }: Job) {
  const { cpusMilli, memoryMiB } = spec;
  return { gpus, part, unitsEach: part?.compute ?? claim.unitsEach, cpusMilli, memoryMiB };
}

/** Ends a claim: its seats are there for other jobs. */
export function dropClaim(state: State, job: Job): void {
  const { claim } = job;
  if (claim === undefined) return;
  const { cpusMilli, memoryMiB } = job.spec;
  countClaim(state, job, -1);
  job.claim = undefined;
  state.claimants.delete(job);
  state.waiting.roomChanged();
  // The seats counted as usage of the account; without them its guarantee may cover burst work [C3].
  state.waiting.listener.classesMayChange(job.account);
  for (const seat of claim.seats) {
    deleteUnder(state.claimantsOn, seat.node, job);
    beforeSeats(state, seat.node);
    state.fleet.unhold(seat.node, seat.gpus, cpusMilli, memoryMiB);
    afterSeats(state, job, seat.node, -1);
  }
}
