import type { MemberNeed } from "../fleet/fit.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { quotaStop } from "../gate/quota-stop.ts";
import type { Event } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { movesPerHourPlain } from "../model/policy.ts";
import { hour, type Instant } from "../model/units.ts";
import { isConfidential, nodesFor } from "../place/dedicated.ts";
import { findSeats } from "../place/seats.ts";
import type { Timeline } from "../plan/timeline.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { stopJob } from "../run/stop.ts";
import { needFor } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { State } from "../state/state.ts";
import { MoveSearch, type SeatsByMoves } from "./move-search.ts";
import { pathOf } from "./rules/sides.ts";
import { Site } from "./seats/site.ts";

interface MovePlan extends SeatsByMoves {
  readonly choice: number;
  readonly cover: AccountNo;
  readonly unitsEach: number;
}

/**
 * T9: moves jobs that can go on elsewhere, where enough GPUs are free for a job but not together. The least work is lost,
 * all moves happen or none, within the owner's budget of moves. The job and each moved job hold their seats from here on.
 * Returns whether room is being made.
 */
export function consolidateFor(
  state: State,
  job: Job,
  now: Instant,
  timeline: Timeline,
  apply: (event: Event) => void,
): boolean {
  const plan = planMoves(state, job, now, timeline);
  if (plan === undefined) return false;
  const { choice, cover, unitsEach, seats, moves } = plan;
  const head = { kind: "job-claimed", v: 1, at: now, victims: [] } as const;
  apply({
    ...head,
    job: job.no,
    ...(cover !== noAccount && { cover }),
    choice,
    unitsEach,
    seats,
    moves: moves.map(({ mover }) => mover.job.no),
  });
  for (const { mover, seats: target } of moves) {
    const { no, choice: chosen, leases } = mover.job;
    apply({ ...head, job: no, choice: chosen, unitsEach: leases[0]!.unitsEach, seats: target });
    for (const event of stopJob(state, mover.job, "move", now, undefined, why)) apply(event);
  }
  return true;
}

/** For the user of a moved job; names no other tenant. */
const why = "it goes on elsewhere, where seats are held for it: on one node with its GPUs, another job finds room";

function planMoves(state: State, job: Job, now: Instant, timeline: Timeline): MovePlan | undefined {
  const movesMax = movesLeft(state, now);
  if (movesMax <= 0 || state.movable.size === 0) return undefined;
  // How much quota a confidential tenant uses depends on the nodes of its jobs [U3].
  if (isConfidential(state, job.account)) return undefined;
  const { gpus, members, topology, spread } = job.spec;
  // One member of a gang may lack a seat; where all must be in one place, the seats of the others would decide which.
  if (members.min > 1 && (topology?.required || spread !== undefined)) return undefined;
  for (const [choice, ask] of gpus.entries()) {
    if (ask.part !== undefined || ask.count === 0) continue;
    for (const model of modelsFor(state, job, choice)) {
      if (freeGpus(state.fleet, model) < ask.count * members.min) continue;
      const demand = demandOf(state, job, choice, model);
      const cover = coverFor(state, job.account, demand);
      if (quotaStop(state, { job, choice, demand, now, cover }) !== undefined) continue;
      if (!timeline.backfill.mayHold(job, demand, cover === noAccount)) continue;
      // With seats free together, the job waits for something else.
      if (typeof findSeats(state, job, choice, model) === "object") continue;
      const need = { ...needFor(state, job, choice, model), mayUse: nodesFor(state, job) };
      if (willHaveRoom(state, job, need)) return undefined;
      const claimant = { job, demand, cover, path: pathOf(state, job.account) };
      const found = new MoveSearch(state, claimant, need, { movesMax, now, timeline }).run(choice, model);
      if (found !== undefined) return { choice, cover, unitsEach: ask.unitsEach, ...found };
    }
  }
  return undefined;
}

/** Whether all members have room once stopping work has left. */
function willHaveRoom({ fleet }: ReadonlyState, { spec }: Job, need: MemberNeed): boolean {
  if (fleet.nodesBeingLeft.size === 0) return false;
  const { min, apart } = spec.members;
  let missing = min;
  for (const node of fleet.nodes) {
    if (node?.mode !== "up") continue;
    missing -= Math.min(apart ? 1 : min, new Site(fleet, node, need).fits([]));
    if (missing <= 0) return true;
  }
  return false;
}

function movesLeft({ policy, movedAt }: ReadonlyState, now: Instant): number {
  let left = policy.movesPerHourMax ?? movesPerHourPlain;
  for (const at of movedAt) if (at > now - hour) left--;
  return left;
}

/** Free GPUs of a model, on nodes that have only this model. */
function freeGpus(fleet: ReadonlyFleet, model: number): number {
  let count = 0;
  for (let free = 1; free <= fleet.freeMax(model); free++) count += free * (fleet.nodesWith(model, free)?.size ?? 0);
  return count;
}
