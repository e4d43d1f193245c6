import { mayFitOne } from "../place/hope.ts";
import { mayBePlanned, mayPlan } from "../plan/eligibility.ts";
import type { Candidate } from "../queue/candidates.ts";
import type { Contest } from "../queue/contest.ts";
import type { ShapeQueue, WaitingGroup } from "../state/indexes/waiting-group.ts";
import { upToDate } from "../state/wish-of.ts";
import type { World } from "./world.ts";

/** The groups that a change may have unblocked. */
export interface Awake {
  /** Groups to try for free seats and for claims. */
  readonly groups: readonly WaitingGroup[];
  /** Shapes for which there may be free seats: every other group that wants them is tried for free seats only. */
  readonly queues: readonly ShapeQueue[];
}

/**
 * What may start since the last call: everything where few groups wait. Where many do, the groups with a new first job,
 * those that may claim by a guarantee, those whose turn it is, and the shapes for which there may be seats [B6].
 */
export function takeAwake(world: World): Awake {
  const { state, memory, turn, effort } = world;
  const { waiting } = state;
  const fresh = memory.takeFresh();
  const changed = memory.takeRoomChanged();
  if (!waiting.isLong) return { groups: changed ? [...waiting.groups] : fresh, queues: [] };
  if (changed) turn.noteChange();
  const turns = turn.take(effort.turns);
  const mayPlanNow = turn.takeMayPlan() && mayPlan(state, turn.isDue);
  const groups = new Set<WaitingGroup>([...fresh, ...turns]);
  if (changed) for (const group of memory.insisting.of(state)) groups.add(group);
  return { groups: [...groups], queues: changed || mayPlanNow ? queuesToHope(world, groups) : [] };
}

export function isAnythingAwake({ groups, queues }: Awake): boolean {
  return groups.length + queues.length > 0;
}

/** Shapes for which a group that is not tried anyway could start or be planned. */
function queuesToHope(world: World, tried: ReadonlySet<WaitingGroup>): ShapeQueue[] {
  const isLeft = (group: WaitingGroup) => !tried.has(group);
  return [...world.state.waiting.queues].filter(
    (queue) => queue.some(isLeft) !== undefined && hasHope(world, queue, mayPlan(world.state, world.turn.isDue)),
  );
}

/** In one pass at most this many groups that are tried for free seats only may be refused because of plans. */
const refusalsMax = 16;

/**
 * The groups that compete in a pass. Saves trying them one by one: once no seats of a shape are left, all groups that
 * want them leave together, and once enough groups were refused because of plans, all seats-only groups do. Their turn
 * comes later. Accounts are ranked by the groups that are left [B6].
 */
export class SeatHopes {
  readonly #world: World;
  readonly #groups: readonly WaitingGroup[];
  #queues: readonly ShapeQueue[];
  readonly #tried = new Set<WaitingGroup>();
  #refusals = 0;
  #mayBeFewer = false;
  /** Until no start may be planned any more; which groups are tried for free seats only must not depend on when. */
  #mayPlan: boolean;

  constructor(world: World, { groups, queues }: Awake) {
    this.#world = world;
    this.#groups = groups;
    this.#queues = queues;
    this.#mayPlan = mayPlan(world.state, world.turn.isDue);
  }

  /** Whether a candidate that finds no seats may be planned. */
  mayPlan({ seatsOnly }: Candidate): boolean {
    return !seatsOnly || this.#mayPlan;
  }

  /** A contest between all groups that have not been refused. */
  contest(): Contest {
    const { state, memory } = this.#world;
    const groups = this.#groups.filter((group) => group.jobs.length > 0 && !this.#tried.has(group));
    const isOut = ({ seatsOnly, group }: Candidate) => seatsOnly && !mayStartOrPlan(this.#world, group, this.#mayPlan);
    return memory.contests.of(state, this.#queues).begin(groups, this.#tried, isOut);
  }

  started(): void {
    this.#changed();
  }

  #changed(): void {
    this.#mayBeFewer = true;
    this.#mayPlan &&= mayPlan(this.#world.state, this.#world.turn.isDue);
  }

  refused({ group, seatsOnly, delayed }: Candidate): void {
    this.#changed(); // it may have been planned, and no more are
    this.#tried.add(group);
    if (seatsOnly && delayed) this.#refusals++;
  }

  /** Whether some shapes have no free seats any more since the last call: then a smaller contest follows. */
  areFewer(): boolean {
    if (!this.#mayBeFewer || this.#queues.length === 0) return false;
    this.#mayBeFewer = false;
    const left =
      this.#refusals < refusalsMax ? this.#queues.filter((queue) => hasHope(this.#world, queue, this.#mayPlan)) : [];
    const areFewer = left.length < this.#queues.length;
    this.#queues = left;
    return areFewer;
  }
}

/** Whether a job that wants such seats might start, or be planned. */
function hasHope({ state }: World, queue: ShapeQueue, mayBePlanned: boolean): boolean {
  const group = queue.rivals.first?.groups.first;
  if (group === undefined) return false;
  const { spec } = group.jobs[0]!;
  return mayBePlanned || mayFitOne(state.fleet, upToDate(state, group.wish, spec), spec);
}

function mayStartOrPlan(world: World, group: WaitingGroup, mayPlanNow: boolean): boolean {
  return !isFull(world, group) || (mayPlanNow && mayBePlanned(world.state, group.jobs[0]!));
}

function isFull({ state, memory }: World, { jobs, wish }: WaitingGroup): boolean {
  const { spec, account } = jobs[0]!;
  return memory.full.isFull(state, upToDate(state, wish, spec), spec, account);
}
