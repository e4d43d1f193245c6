import type { MemberNeed } from "../fleet/fit.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { Ending } from "../state/indexes/endings.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { type EndOf, endOf } from "./run-time.ts";

/** An instant at which more may be free than before: the end of a job, or another. */
export interface Moment {
  readonly at: Instant;
  readonly job?: Job;
}

/** When the running jobs are expected to end, as known at one instant. */
export class Ends {
  readonly #state: ReadonlyState;
  readonly #now: Instant;
  readonly #endOf: EndOf;
  /** The ends are those that the state keeps sorted: they are by `endOf`, and no account has a pace of its own. */
  readonly #areIndexed: boolean;
  #inOrder: readonly Ending[] | undefined;
  /** By node: GPUs of jobs with an expected end. */
  #endingOn: Int32Array | undefined;

  constructor(state: ReadonlyState, now: Instant, ends: EndOf) {
    this.#state = state;
    this.#now = now;
    this.#endOf = ends;
    this.#areIndexed = ends === endOf && state.pace.size === 0;
  }

  /** When a running job ends; a job with an unknown end runs for ever. */
  of(job: Job): Instant {
    return this.#endOf(this.#state, job, this.#now) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a running job is not known to have ended by an instant. */
  runsPast(job: Job, at: Instant): boolean {
    return this.of(job) > at;
  }

  /** Whether some running job may have a known end. */
  get mayExist(): boolean {
    return !this.#areIndexed || !this.#state.endings.isEmpty;
  }

  /** How many members fit at most once every job with a known end has ended. */
  roomAfter({ model, gpus, among }: MemberNeed, apart: boolean): number {
    if (gpus <= 0) throw new Error("Bug: only members with whole GPUs are counted by GPUs");
    const { fleet, endings } = this.#state;
    if (!this.#areIndexed) this.#endingOn ??= this.#countEnding();
    const ending = this.#endingOn ?? endings.gpusOn;
    let members = 0;
    for (const node of fleet.nodes) {
      if (node === undefined || fleet.soleModel(node) !== model || among?.has(node) === false) continue;
      const here = Math.floor((fleet.nodeFreeGpus[node.no]! + (ending[node.no] ?? 0)) / gpus);
      members += apart ? Math.min(1, here) : here;
    }
    return members;
  }

  #countEnding(): Int32Array {
    const ending = new Int32Array(this.#state.fleet.nodes.length);
    for (const { job } of this.inOrder())
      for (const { node, gpus, part } of job.leases) if (part === undefined) ending[node]! += gpus.length;
    return ending;
  }

  /** In order: the ends of running jobs, the ends of maintenance windows, and `others`, as far as they are to come. */
  *moments(others: readonly Instant[]): Generator<Moment, undefined> {
    const also = [...others, ...this.#maintenanceEnds()].filter((at) => at > this.#now).sort((a, b) => a - b);
    let next = 0;
    for (const ending of this.inOrder()) {
      for (; next < also.length && also[next]! < ending.at; next++) yield { at: also[next]! };
      yield ending;
    }
    for (; next < also.length; next++) yield { at: also[next]! };
  }

  *#maintenanceEnds(): Generator<Instant> {
    const { maintained, nodes } = this.#state.fleet;
    for (const no of maintained) for (const { to } of nodes[no]?.maintenance ?? []) yield to;
  }

  /** The running jobs with a known end, earliest end first. */
  inOrder(): readonly Ending[] {
    this.#inOrder ??= this.#areIndexed ? this.#indexed() : this.#guessed();
    return this.#inOrder;
  }

  /** A job past its limit is about to be stopped: it counts as ending now. */
  #indexed(): readonly Ending[] {
    const endings = this.#state.endings.inOrder(this.#now);
    let past = 0;
    while (past < endings.length && endings[past]!.at <= this.#now) past++;
    if (past === 0) return endings;
    const over = endings.slice(0, past).map(({ job }) => ({ at: this.#now, job }));
    return [...over.sort((a, b) => a.job.no - b.job.no), ...endings.slice(past)];
  }

  #guessed(): readonly Ending[] {
    const ends: Ending[] = [];
    for (const job of this.#state.active.values()) {
      const at = this.#endOf(this.#state, job, this.#now);
      if (at !== undefined && job.leases.length > 0) ends.push({ at, job });
    }
    return ends.sort((a, b) => a.at - b.at || a.job.no - b.job.no);
  }
}
