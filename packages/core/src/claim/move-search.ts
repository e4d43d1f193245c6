import type { MemberNeed } from "../fleet/fit.ts";
import type { Seat } from "../journal/event.ts";
import { noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { isConfidential } from "../place/dedicated.ts";
import { findSeats } from "../place/seats.ts";
import type { Timeline } from "../plan/timeline.ts";
import type { State } from "../state/state.ts";
import { Draft } from "./draft/draft.ts";
import { lostWork, type Victim } from "./draft/victim.ts";
import type { Claimant } from "./rules/claimant.ts";
import { isInsideMinRuntime } from "./rules/protection.ts";
import { Site } from "./seats/site.ts";

/** Nodes that are examined for one job, those with the most free GPUs first. */
const nodesMax = 64;
/** New seats that are searched for on behalf of one job; a search that has not ended by then takes the best so far. */
const targetsMax = 1_000;

/** A job that moves, and its new seats. */
interface Move {
  readonly mover: Victim;
  readonly seats: readonly Seat[];
}

/** Seats for a claimant, and the moves that make room for them. */
export interface SeatsByMoves {
  readonly seats: readonly Seat[];
  readonly moves: readonly Move[];
}

interface MoveTerms {
  readonly movesMax: number;
  readonly now: Instant;
  readonly timeline: Timeline;
}

/** Room for one member on a node, and the moves that make it. */
interface MoveOption {
  readonly node: FleetNode;
  readonly seats: readonly Seat[];
  readonly moves: readonly Move[];
  readonly lost: number;
}

/** T9: searches for the node whose moved jobs lose the least work, then the fewest moves, then the lowest-numbered node. */
export class MoveSearch {
  readonly #state: State;
  readonly #claimant: Claimant;
  readonly #draft: Draft;
  readonly #need: MemberNeed;
  readonly #terms: MoveTerms;
  #best: MoveOption | undefined;
  #targets = 0;

  constructor(state: State, claimant: Claimant, need: MemberNeed, terms: MoveTerms) {
    this.#state = state;
    this.#claimant = claimant;
    this.#draft = new Draft(state, claimant);
    this.#need = need;
    this.#terms = terms;
  }

  /** Seats for the claimant and for the jobs that must move; undefined where moving does not help. */
  run(choice: number, model: number): SeatsByMoves | undefined {
    const { spec } = this.#claimant.job;
    const others = this.#othersSeats(choice, model);
    if (others === undefined) return undefined;
    const mark = this.#draft.mark();
    this.#draft.hold(this.#state.fleet, others, spec);
    const used = new Set(spec.members.apart ? others.map((seat) => seat.node) : []);
    for (const node of this.#candidates(model)) if (!used.has(node.no)) this.#examine(node);
    this.#draft.undoTo(mark);
    return this.#best && { seats: [...others, ...this.#best.seats], moves: this.#best.moves };
  }

  /** Free seats for all members but one. */
  #othersSeats(choice: number, model: number): readonly Seat[] | undefined {
    const { spec, account } = this.#claimant.job;
    const { members } = spec;
    if (members.min === 1) return [];
    const fewer = { account, spec: { ...spec, members: { ...members, min: members.min - 1 } } };
    const plans = this.#terms.timeline.backfill.besideFor(this.#claimant.job, this.#isBurst);
    const seats = findSeats(this.#state, fewer, choice, model, { plans });
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

  /** Whether the claimant would start as burst. */
  get #isBurst(): boolean {
    return this.#claimant.cover === noAccount;
  }

  #examine(node: FleetNode): void {
    const { now, timeline } = this.#terms;
    if (timeline.backfill.mayTake(this.#claimant.job, this.#isBurst, node, this.#need, 1) === 0) return;
    const movers: Victim[] = [];
    for (const job of this.#state.movable.get(node.no) ?? []) {
      if (job.state === "stopping" || isInsideMinRuntime(this.#state, job, now)) continue;
      if (isConfidential(this.#state, job.account)) continue;
      if (this.#state.apart.concerns(job)) continue; // two of them might be moved to one node
      movers.push({ job, leases: job.leases, extra: false, cover: job.cover });
    }
    movers.sort((a, b) => lostWork(a, now) - lostWork(b, now) || a.job.no - b.job.no);
    const site = new Site(this.#state.fleet, node, this.#need);
    site.members = 1;
    // Where there is room already, moving does not help.
    if (site.fits([]) === 0) this.#choose(site, movers, 0, [], 0);
  }

  /** Tries every set of moves that could be better than the best so far, with their new seats held meanwhile. */
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
      const mark = this.#draft.mark();
      this.#draft.hold(this.#state.fleet, seats, mover.job.spec);
      this.#choose(site, movers, i + 1, [...moves, { mover, seats }], lost + lostWork(mover, this.#terms.now));
      this.#draft.undoTo(mark);
    }
  }

  #isBetter(lost: number, moves: number, node: FleetNode): boolean {
    const best = this.#best;
    if (best === undefined) return true;
    return (lost - best.lost || moves - best.moves.length || node.no - best.node.no) < 0;
  }

  /** Seats of the same model and by the same choice, so that no quota changes. */
  #seatsElsewhere(mover: Job, from: FleetNode): readonly Seat[] | undefined {
    const model = this.#state.fleet.gpuModel[mover.leases[0]!.gpus[0]!]!;
    const { timeline } = this.#terms;
    const plans = timeline.backfill.besideFor(mover, mover.cover === noAccount);
    const seats = findSeats(this.#state, mover, mover.choice, model, { plans, within: (node) => node !== from });
    return typeof seats === "string" ? undefined : seats;
  }
}
