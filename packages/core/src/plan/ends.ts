import type { MemberNeed } from "../fleet/fit.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { Ending } from "../state/indexes/endings.ts";
import type { State } from "../state/state.ts";
import { type EndOf, endOf } from "./run-time.ts";

/** An instant at which more may be free than before: the end of a job, or another. */
export interface Moment {
  readonly at: Instant;
  readonly job?: Job;
}

/** What can be told at an instant of when that which runs will be over. */
export class Ends {
  readonly #state: State;
  readonly #now: Instant;
  readonly #endOf: EndOf;
  /** All ends are those that the state keeps in order: no account has a pace of its own, and nobody asks for others. */
  readonly #areKept: boolean;
  #inOrder: readonly Ending[] | undefined;
  /** GPUs of each node whose holders are guessed to end. */
  #guessedOn: Int32Array | undefined;

  constructor(state: State, now: Instant, ends: EndOf) {
    this.#state = state;
    this.#now = now;
    this.#endOf = ends;
    this.#areKept = ends === endOf && state.pace.size === 0;
  }

  /** When a job that runs is over; what nobody can tell the end of runs for ever. */
  of(job: Job): Instant {
    return this.#endOf(this.#state, job, this.#now) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there may be any. */
  get mayBe(): boolean {
    return !this.#areKept || !this.#state.endings.isEmpty;
  }

  /** How many members fit at most once everything with an end is over. */
  roomAfter({ model, gpus }: MemberNeed, apart: boolean): number {
    const { fleet, endings } = this.#state;
    if (!this.#areKept) this.#guessedOn ??= this.#countGuessed();
    const ending = this.#guessedOn ?? endings.gpusOn;
    let members = 0;
    for (const node of fleet.nodes) {
      if (node === undefined || fleet.soleModel(node) !== model) continue;
      const here = Math.floor((fleet.nodeFreeGpus[node.no]! + (ending[node.no] ?? 0)) / gpus);
      members += apart ? Math.min(1, here) : here;
    }
    return members;
  }

  #countGuessed(): Int32Array {
    const ending = new Int32Array(this.#state.fleet.nodes.length);
    for (const { job } of this.inOrder())
      for (const { node, gpus, part } of job.leases) if (part === undefined) ending[node]! += gpus.length;
    return ending;
  }

  /** In order, when something becomes free: the ends of what runs, nodes that come back from maintenance, and some others. */
  *moments(others: readonly Instant[]): Generator<Moment, undefined> {
    const also = [...others, ...this.#returns()].filter((at) => at > this.#now).sort((a, b) => a - b);
    let next = 0;
    for (const ending of this.inOrder()) {
      for (; next < also.length && also[next]! < ending.at; next++) yield { at: also[next]! };
      yield ending;
    }
    for (; next < also.length; next++) yield { at: also[next]! };
  }

  *#returns(): Generator<Instant> {
    const { maintained, nodes } = this.#state.fleet;
    for (const no of maintained) for (const { to } of nodes[no]?.maintenance ?? []) yield to;
  }

  /** What runs and can be told the end of, by that. */
  inOrder(): readonly Ending[] {
    this.#inOrder ??= this.#areKept ? this.#known() : this.#guesses();
    return this.#inOrder;
  }

  /** Whose limit is past is over any moment. */
  #known(): readonly Ending[] {
    const endings = this.#state.endings.inOrder(this.#now);
    let past = 0;
    while (past < endings.length && endings[past]!.at <= this.#now) past++;
    if (past === 0) return endings;
    const over = endings.slice(0, past).map(({ job }) => ({ at: this.#now, job }));
    return [...over.sort((a, b) => a.job.no - b.job.no), ...endings.slice(past)];
  }

  #guesses(): readonly Ending[] {
    const ends: Ending[] = [];
    for (const job of this.#state.active.values()) {
      const at = this.#endOf(this.#state, job, this.#now);
      if (at !== undefined && job.leases.length > 0) ends.push({ at, job });
    }
    return ends.sort((a, b) => a.at - b.at || a.job.no - b.job.no);
  }
}
