import type { MemberAsk } from "../fleet/fit.ts";
import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { shareNoNode } from "../place/dedicated.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { Ends } from "./ends.ts";
import type { JobDemand } from "./future-quota.ts";
import type { Plan, PlannedStart } from "./planned-start.ts";
import { type EndOf, runMsOf } from "./run-time.ts";
import { membersBeside, takeSpare } from "./spare.ts";

/** The plans of one instant in the order in which they were made, and what they hold and leave at later instants. */
export class PlanList {
  readonly state: ReadonlyState;
  readonly now: Instant;
  readonly ends: Ends;
  readonly all: Plan[] = [];
  /** Nodes that some plan has used; on most nodes there is none, and nothing needs to be looked up. */
  readonly #nodes = new Set<NodeNo>();
  readonly #runMsOf = new Map<Job, number>();

  constructor(state: ReadonlyState, now: Instant, ends: EndOf) {
    this.state = state;
    this.now = now;
    this.ends = new Ends(state, now, ends);
  }

  of(job: Job): Plan | undefined {
    return this.all.find(({ start }) => start.job === job);
  }

  /** Adds a plan behind all others; a plan that starts while this one runs has that much less beside it. */
  add(plan: Plan): void {
    const { start } = plan;
    if (this.of(start.job) !== undefined) throw new Error("Bug: a job is planned at most once");
    if (start.at < this.now) throw new Error("Bug: a start is planned in the past");
    const endAt = this.endOf(start);
    for (const { start: other, spare, usage, beside } of this.all) {
      if (other.at <= start.at || other.at >= endAt) continue;
      for (const [node, amount] of start.takes) takeSpare(spare, node, amount);
      usage?.begin(start);
      beside.push(start);
    }
    for (const node of start.takes.keys()) this.#nodes.add(node);
    this.all.push(plan);
  }

  /** Removes the plan of a job, if it has one; what it took beside other plans is free there again. */
  drop(job: Job): void {
    const index = this.all.findIndex(({ start }) => start.job === job);
    if (index < 0) return;
    const [dropped] = this.all.splice(index, 1);
    for (const plan of this.all) giveBack(plan, dropped!.start);
  }

  /** Whether some plan uses a node. */
  isOn(node: NodeNo): boolean {
    return this.#nodes.has(node);
  }

  /** The expected run time of a job that has not started; infinite where it is unknown. */
  runMs(job: Job): number {
    let runMs = this.#runMsOf.get(job);
    if (runMs === undefined) {
      runMs = runMsOf(this.state, job, 0) ?? Number.POSITIVE_INFINITY;
      this.#runMsOf.set(job, runMs);
    }
    return runMs;
  }

  endOf({ at, job }: PlannedStart): Instant {
    return at + this.runMs(job);
  }

  /** The planned starts that run at an instant. */
  runningAt(at: Instant): PlannedStart[] {
    const running: PlannedStart[] = [];
    for (const { start } of this.all) if (this.#runsAt(start, at)) running.push(start);
    return running;
  }

  #runsAt(start: PlannedStart, at: Instant): boolean {
    return start.at <= at && at < this.endOf(start);
  }

  /** GPUs of a node that planned jobs hold at an instant. */
  gpusOn(node: NodeNo, at: Instant): number {
    let held = 0;
    if (!this.isOn(node)) return held;
    for (const { start } of this.all) if (this.#runsAt(start, at)) held += start.takes.get(node)?.gpus ?? 0;
    return held;
  }

  /** What each planned job that runs at an instant takes of a node. */
  *takesOn(node: NodeNo, at: Instant): Generator<MemberAsk> {
    for (const { start } of this.all) {
      const amount = this.#runsAt(start, at) ? start.takes.get(node) : undefined;
      if (amount !== undefined) yield amount;
    }
  }

  /** The planned starts that have parts of GPUs at some time between two instants. */
  withParts(from: Instant, to: Instant): PlannedStart[] {
    const found: PlannedStart[] = [];
    for (const { start } of this.all)
      if (start.parts.size > 0 && start.at < to && from < this.endOf(start)) found.push(start);
    return found;
  }

  /** How many of `members` may be on a node between two instants without delaying a plan that starts in between. */
  membersLeft(node: NodeNo, from: Instant, to: Instant, need: MemberAsk, members: number): number {
    let left = members;
    if (!this.isOn(node)) return left;
    for (const { start, spare } of this.all) {
      const spareHere = start.at > from && start.at < to ? spare.get(node) : undefined;
      if (spareHere !== undefined) left = membersBeside(spareHere, need, left);
    }
    return left;
  }

  /** Whether the plans that start between two instants keep their quota if a job runs then. */
  keepQuota(job: JobDemand, from: Instant, to: Instant): boolean {
    for (const { start, usage } of this.all)
      if (start.at > from && start.at < to && usage?.allows(start, [job]) === false) return false;
    return true;
  }

  /** Whether a plan uses a node that a job must not share with it [U3]. */
  isKeptOff(job: Job, node: NodeNo, { job: planned, takes }: PlannedStart): boolean {
    return takes.has(node) && shareNoNode(this.state, planned.account, job.account);
  }

  /** Whether a job must not be on a node between two instants because of a plan there [U3]. */
  isKeptOffBetween(job: Job, node: NodeNo, from: Instant, to: Instant): boolean {
    for (const { start } of this.all)
      if (start.at < to && from < this.endOf(start) && this.isKeptOff(job, node, start)) return true;
    return false;
  }

  /** The next instant at which the room beside plans changes for a job of this run time: a plan begins, ends, or comes into its reach. */
  nextChange(after: Instant, runMs: number): Instant {
    let next = Number.POSITIVE_INFINITY;
    for (const { start } of this.all)
      for (const at of [start.at - runMs + 1, start.at, this.endOf(start)]) if (at > after && at < next) next = at;
    return next;
  }
}

function giveBack({ spare, usage, beside }: Plan, dropped: PlannedStart): void {
  const index = beside.indexOf(dropped);
  if (index < 0) return;
  beside.splice(index, 1);
  usage?.notBegin(dropped);
  for (const [node, amount] of dropped.takes) takeSpare(spare, node, amount, -1);
}
