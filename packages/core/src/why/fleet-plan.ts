import { type AccountNo, type NodeNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { endOf, runMsOf } from "../plan/run-time.ts";
import { isArrayFull } from "../schedule/array-limit.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { allPlans } from "./plans.ts";
import { roomAt } from "./room-at.ts";

/** A job that holds seats, and when it is expected to end [B1]; undefined = nothing tells. */
export interface RunningUntil {
  readonly job: Job;
  readonly endsAt: Instant | undefined;
}

/** A waiting job with a planned start. */
export interface PlannedJob {
  readonly job: Job;
  readonly at: Instant;
  readonly endsAt: Instant | undefined;
  /** Which of its alternatives it will have. */
  readonly choice: number;
  /** GPUs that it will hold, by node; of a GPU that already has parts, none. */
  readonly gpusOn: ReadonlyMap<NodeNo, number>;
  readonly cover: AccountNo;
  /** `eviction`: room is being made for it. `run-times`: the start relies on what past runs took. */
  readonly basis: "plan" | "run-times" | "eviction";
}

/** What is expected of a fleet, as known at one instant: nothing that comes meanwhile is in it. */
export interface FleetPlan {
  readonly running: readonly RunningUntil[];
  readonly planned: readonly PlannedJob[];
}

/** The ends of running jobs and the starts of waiting ones, as explanations tell them job by job [W1]. */
export function fleetPlan(state: ReadonlyState, now: Instant): FleetPlan {
  const running: RunningUntil[] = [];
  for (const job of state.active.values()) running.push({ job, endsAt: endOf(state, job, now) });
  const planned = [...claimed(state, now)];
  for (const { start } of allPlans(state, now).plans) {
    const { job, at, choice, takes, cover, guessed } = start;
    // Until an element ends it cannot start, whatever room there is.
    if (job.claim !== undefined || isArrayFull(state, job)) continue;
    const gpusOn = new Map([...takes].map(([node, { gpus }]) => [node, gpus]));
    const basis = guessed ? ("run-times" as const) : ("plan" as const);
    planned.push({ job, at, endsAt: endAfter(state, job, at), choice, gpusOn, cover, basis });
  }
  return { running, planned: planned.sort((a, b) => a.at - b.at || a.job.no - b.job.no) };
}

function* claimed(state: ReadonlyState, now: Instant): Generator<PlannedJob> {
  for (const job of state.claimants) {
    const { claim } = job;
    // A running job with a claim is being moved: it goes on.
    if (claim === undefined || job.state !== "waiting") continue;
    const at = roomAt(state, job, now);
    const gpusOn = new Map<NodeNo, number>();
    for (const { node, gpus } of claim.seats) gpusOn.set(node, (gpusOn.get(node) ?? 0) + gpus.length);
    const { choice, cover = noAccount } = claim;
    yield { job, at, endsAt: endAfter(state, job, at), choice, gpusOn, cover, basis: "eviction" };
  }
}

function endAfter(state: ReadonlyState, job: Job, at: Instant): Instant | undefined {
  const runMs = runMsOf(state, job, 0);
  return runMs === undefined ? undefined : at + runMs;
}
