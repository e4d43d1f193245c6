import type { BesidePlans } from "../fleet/fit.ts";
import { quotaStop } from "../gate/quota-stop.ts";
import type { JobPlaced } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import { noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import type { Wish } from "../state/indexes/wish.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { wishOf } from "../state/wish-of.ts";
import { isConfidential } from "./dedicated.ts";
import { heldBeside } from "./dedicated-usage.ts";
import { type FullMarks, noMarks } from "./full-marks.ts";
import { findSeats } from "./seats.ts";

/** Everything that a placement settles except the attempt and the time. */
export type Placement = Pick<JobPlaced, "choice" | "unitsEach" | "class" | "cover" | "seats">;

/** What the planned starts of other jobs leave to a job that could start now [B2]; `plan/Backfill` implements it. */
export interface PlansAhead {
  readonly plans: readonly unknown[];
  /** Whether the plans ahead of the job keep their quota if it starts now. */
  mayHold(job: Job, demand: Demand, burst: boolean): boolean;
  /** What the job may take of each node. */
  besideFor(job: Job, burst: boolean): BesidePlans;
  /** The nodes on which the job itself is planned to start now. */
  dueOn(job: Job, choice: number): ReadonlyMap<NodeNo, unknown> | undefined;
}

/** Where the job can start now and in which class, trying its alternatives in order; undefined = nowhere. */
export function placeJob(
  state: ReadonlyState,
  job: Job,
  now: Instant,
  timeline?: PlansAhead,
  wish: Wish = wishOf(state, job),
  marks: FullMarks = noMarks,
): Placement | undefined {
  if (marks.isFull(state, wish, job.spec, job.account)) return undefined;
  const wholeNodes = isConfidential(state, job.account);
  let full = true;
  let apart = false;
  for (const { choice, model, demand } of wish.options) {
    let cover = coverFor(state, job.account, demand);
    if (!wholeNodes && quotaStop(state, { job, choice, demand, cover, now }) !== undefined) {
      full = false;
      continue;
    }
    if (timeline !== undefined && timeline.plans.length > 0 && !timeline.mayHold(job, demand, cover === noAccount)) {
      full = false;
      continue;
    }
    const burst = cover === noAccount;
    const plans = timeline !== undefined && timeline.plans.length > 0 ? timeline.besideFor(job, burst) : undefined;
    let seats = findSeats(state, job, choice, model, { plans, burst });
    const due = typeof seats === "string" && plans !== undefined ? timeline!.dueOn(job, choice) : undefined;
    // The job's own planned start is due on these nodes, and all other plans were made beside it.
    if (due !== undefined) seats = findSeats(state, job, choice, model, { within: ({ no }) => due.has(no), burst });
    if (typeof seats === "string") {
      const without = plans === undefined ? seats : findSeats(state, job, choice, model);
      const byNeighbours = without === "isolation" || without === "latency";
      full &&= without === "no-room" || without === "never" || byNeighbours;
      apart ||= byNeighbours;
      continue;
    }
    full = false;
    if (wholeNodes) {
      // What it would hold depends on the nodes that it would open.
      const held = heldBeside(state, job.account, seats);
      cover = coverFor(state, job.account, demand, held);
      if (quotaStop(state, { job, choice, demand, cover, now, held }) !== undefined) continue;
    }
    const { unitsEach } = job.spec.gpus[choice]!;
    return { choice, unitsEach, class: cover === noAccount ? "burst" : "guaranteed", cover, seats };
  }
  const isOfSide = apart || state.nodePools.limited.length > 0;
  if (full) marks.noteFull(state, wish, isOfSide ? job.account : undefined);
  return undefined;
}

/** Whether a job lacks only seats: its quota lets it start, and no free seats are merely kept for plans. */
export function lacksSeatsAlone(state: ReadonlyState, job: Job, now: Instant, marks: FullMarks): boolean {
  const wish = wishOf(state, job);
  for (const { choice, demand } of wish.options)
    if (quotaStop(state, { job, choice, demand, now }) !== undefined) return false;
  if (marks.isFull(state, wish, job.spec, job.account)) return true;
  return wish.options.every(({ choice, model }) => {
    const seats = findSeats(state, job, choice, model);
    return typeof seats === "string" && seats !== "reserved";
  });
}
