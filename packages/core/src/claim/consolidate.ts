import { type MemberNeed, needOf } from "../fleet/fit.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { quotaStop } from "../gate/quota-stop.ts";
import type { Event, Seat } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { movesPerHourPlain } from "../model/policy.ts";
import { hour, type Instant } from "../model/units.ts";
import { isConfidential, nodesFor } from "../place/dedicated.ts";
import { findSeats } from "../place/seats.ts";
import type { Timeline } from "../plan/timeline.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { stopJob } from "../run/stop.ts";
import type { State } from "../state/state.ts";
import { Site } from "./site.ts";
import { isNew } from "./takeable.ts";
import { lostWork, type Victim } from "./victim.ts";

/** Nodes that are looked at for one job, those with the most free GPUs first. */
const nodesMax = 64;
/** New seats that are looked for on behalf of one job; a search that has not ended by then takes the best so far. */
const targetsMax = 1_000;

/** A job that goes elsewhere, and where. */
interface Move {
  readonly mover: Victim;
  readonly seats: readonly Seat[];
}

interface MovePlan {
  readonly choice: number;
  readonly cover: AccountNo;
  readonly unitsEach: number;
  readonly seats: readonly Seat[];
  readonly moves: readonly Move[];
}

/**
 * Moves jobs that can go on elsewhere where that makes room by shape for a job that has room by count [T9]: the least
 * work, all moves or none, within the owner's budget. The job and each mover hold their seats from here on. Returns
 * whether room is being made.
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
  // Who holds whole nodes uses more or less of its quota by where its jobs are.
  if (isConfidential(state, job.account)) return undefined;
  const { gpus, members, topology, spread } = job.spec;
  // Of a gang one member may be without a seat; where all must be in one place, the others' seats would decide it.
  if (members.min > 1 && (topology?.required || spread !== undefined)) return undefined;
  for (const [choice, ask] of gpus.entries()) {
    if (ask.part !== undefined || ask.count === 0) continue;
    for (const model of modelsFor(state, job, choice)) {
      if (freeGpus(state.fleet, model) < ask.count * members.min) continue;
      const demand = demandOf(state, job, choice, model);
      const cover = coverFor(state, job.account, demand);
      if (quotaStop(state, { job, choice, demand, now, cover }) !== undefined) continue;
      if (!timeline.backfill.mayHold(job, demand, cover === noAccount)) continue;
      // With room by shape it is something else that it waits for.
      if (typeof findSeats(state, job, choice, model) === "object") continue;
      const need = { ...needOf(job.spec, choice, model), mayUse: nodesFor(state, job) };
      if (willHaveRoom(state, job, need)) return undefined;
      const search = new MoveSearch(state, job, need, { burst: cover === noAccount, movesMax, now, timeline });
      const found = search.run(choice, model);
      if (found !== undefined) return { choice, cover, unitsEach: ask.unitsEach, ...found };
    }
  }
  return undefined;
}

/** Once those are gone who are leaving already. */
function willHaveRoom({ fleet }: State, { spec }: Job, need: MemberNeed): boolean {
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

function movesLeft({ policy, movedAt }: State, now: Instant): number {
  let left = policy.movesPerHourMax ?? movesPerHourPlain;
  for (const at of movedAt) if (at > now - hour) left--;
  return left;
}

/** Free GPUs of a model on nodes that have no other. */
function freeGpus(fleet: Fleet, model: number): number {
  let count = 0;
  for (let free = 1; free <= fleet.freeMax(model); free++) count += free * (fleet.nodesWith(model, free)?.size ?? 0);
  return count;
}

interface Terms {
  /** What the claimant would start as. */
  readonly burst: boolean;
  readonly movesMax: number;
  readonly now: Instant;
  readonly timeline: Timeline;
}

/** Room for one member on a node. */
interface Found {
  readonly node: FleetNode;
  readonly seats: readonly Seat[];
  readonly moves: readonly Move[];
  readonly lost: number;
}

/** Looks for the node whose movers lose the least work; then the fewest; then the lowest-numbered node. */
class MoveSearch {
  readonly #state: State;
  readonly #job: Job;
  readonly #need: MemberNeed;
  readonly #terms: Terms;
  #best: Found | undefined;
  #targets = 0;

  constructor(state: State, job: Job, need: MemberNeed, terms: Terms) {
    this.#state = state;
    this.#job = job;
    this.#need = need;
    this.#terms = terms;
  }

  /** Seats for the claimant and for whoever must move; undefined where moving does not help. */
  run(choice: number, model: number): Pick<MovePlan, "seats" | "moves"> | undefined {
    const others = this.#othersSeats(choice, model);
    if (others === undefined) return undefined;
    this.#whileHeld(others, this.#job.spec, () => {
      const used = new Set(this.#job.spec.members.apart ? others.map((seat) => seat.node) : []);
      for (const node of this.#candidates(model)) if (!used.has(node.no)) this.#look(node);
    });
    return this.#best && { seats: [...others, ...this.#best.seats], moves: this.#best.moves };
  }

  /** Seats that are there for all members but one. */
  #othersSeats(choice: number, model: number): readonly Seat[] | undefined {
    const { spec, account } = this.#job;
    const { members } = spec;
    if (members.min === 1) return [];
    const fewer = { account, spec: { ...spec, members: { ...members, min: members.min - 1 } } };
    const { burst, timeline } = this.#terms;
    const seats = findSeats(this.#state, fewer, choice, model, {
      plans: timeline.backfill.besideFor(this.#job, burst),
    });
    return typeof seats === "string" ? undefined : seats;
  }

  *#candidates(model: number): Generator<FleetNode> {
    const { fleet, movable } = this.#state;
    let seen = 0;
    for (let free = fleet.freeMax(model); free >= 0; free--) {
      const nodes = fleet.nodesWith(model, free);
      for (let no = nodes?.next(0) ?? -1; no >= 0; no = nodes!.next(no + 1)) {
        const node = fleet.nodes[no]!;
        if (!movable.has(node.no)) continue;
        if (seen++ === nodesMax) return;
        yield node;
      }
    }
  }

  #look(node: FleetNode): void {
    const { burst, now, timeline } = this.#terms;
    if (timeline.backfill.mayTake(this.#job, burst, node, this.#need, 1) === 0) return;
    const movers: Victim[] = [];
    for (const job of this.#state.movable.get(node.no) ?? []) {
      if (job.state === "stopping" || isNew(this.#state, job, now) || isConfidential(this.#state, job.account))
        continue;
      if (this.#state.apart.concerns(job)) continue; // two of them might be moved to one node
      movers.push({ job, leases: job.leases, extra: false, cover: job.cover });
    }
    movers.sort((a, b) => lostWork(a, now) - lostWork(b, now) || a.job.no - b.job.no);
    const site = new Site(this.#state.fleet, node, this.#need);
    site.members = 1;
    // Where there is room already, moving is no help.
    if (site.fits([]) === 0) this.#choose(site, movers, 0, [], 0);
  }

  /** Tries every set of movers that could be better than the best so far, with their new seats held meanwhile. */
  #choose(site: Site, movers: readonly Victim[], from: number, moves: readonly Move[], lost: number): void {
    if (!this.#isBetter(lost, moves.length, site.node)) return;
    const leaving = moves.map(({ mover }) => mover);
    if (site.fits(leaving) > 0) {
      this.#best = { node: site.node, seats: site.seats(leaving), moves, lost };
      return;
    }
    if (moves.length === this.#terms.movesMax) return;
    for (let i = from; i < movers.length && site.fits([...leaving, ...movers.slice(i)]) > 0; i++) {
      if (this.#targets++ >= targetsMax) return;
      const mover = movers[i]!;
      const seats = this.#seatsElsewhere(mover.job, site.node);
      if (seats === undefined) continue;
      this.#whileHeld(seats, mover.job.spec, () =>
        this.#choose(site, movers, i + 1, [...moves, { mover, seats }], lost + lostWork(mover, this.#terms.now)),
      );
    }
  }

  #isBetter(lost: number, moves: number, node: FleetNode): boolean {
    const best = this.#best;
    if (best === undefined) return true;
    return (lost - best.lost || moves - best.moves.length || node.no - best.node.no) < 0;
  }

  /** Of the same model and by the same choice, so that no quota changes. */
  #seatsElsewhere(mover: Job, from: FleetNode): readonly Seat[] | undefined {
    const model = this.#state.fleet.gpuModel[mover.leases[0]!.gpus[0]!]!;
    const { timeline } = this.#terms;
    const plans = timeline.backfill.besideFor(mover, mover.cover === noAccount);
    const within = (node: FleetNode) => node !== from;
    const seats = findSeats(this.#state, mover, mover.choice, model, { plans, within });
    return typeof seats === "string" ? undefined : seats;
  }

  /** Nobody else is given these seats while `act` looks further. */
  #whileHeld(seats: readonly Seat[], { cpusMilli, memoryMiB }: JobSpec, act: () => void): void {
    const { fleet } = this.#state;
    for (const { node, gpus } of seats) fleet.hold(node, gpus, this.#job.no, cpusMilli, memoryMiB);
    act();
    for (const { node, gpus } of seats) fleet.unhold(node, gpus, cpusMilli, memoryMiB);
  }
}
