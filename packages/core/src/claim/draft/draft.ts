import type { Fleet } from "../../fleet/fleet.ts";
import type { Seat } from "../../journal/event.ts";
import type { AccountNo, NodeNo } from "../../model/ids.ts";
import type { Job, JobSpec } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import { must } from "../../model/must.ts";
import { type Held, minus } from "../../quota/held.ts";
import type { Share } from "../../quota/share.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Claimant } from "../rules/claimant.ts";
import type { WinningSide } from "../rules/fairness.ts";
import type { Remaining } from "../rules/remaining.ts";
import type { Rule } from "../rules/rule.ts";
import { UsageLeft } from "./usage-left.ts";
import type { Victim } from "./victim.ts";

/** A point in a draft to which it can be undone. */
export type Mark = number & { readonly mark: unique symbol };

/** What one member holds besides its GPUs. */
type BesideGpus = Pick<JobSpec, "cpusMilli" | "memoryMiB">;

type Step =
  | { readonly did: "evict"; readonly victim: Victim; readonly first: Victim | undefined }
  | { readonly did: "spare"; readonly victim: Victim; readonly rule: Rule }
  | { readonly did: "hold"; readonly fleet: Holding; readonly seats: readonly Seat[]; readonly each: BesideGpus };

/** A fleet in which seats can be held on trial. */
type Holding = Pick<Fleet, "hold" | "unhold">;

/** Notices every victim that a draft evicts or spares. */
export interface DraftWatcher {
  changed(victim: Victim): void;
}

/**
 * Evictions and held seats on trial for one claimant. Evictions are counted beside the state, which stays as it is;
 * seats are held in the fleet, so that searches for free seats pass them over, until they are undone.
 */
export class Draft implements Remaining {
  readonly state: ReadonlyState;
  readonly claimant: Claimant;
  readonly #victims = new Map<Victim, Rule>();
  readonly #usage: UsageLeft;
  readonly #on = new Map<NodeNo, Victim[]>();
  readonly #whole = new Set<Job>();
  readonly #steps: Step[] = [];
  #first: Victim | undefined;
  #watcher: DraftWatcher | undefined;

  constructor(state: ReadonlyState, claimant: Claimant) {
    this.state = state;
    this.claimant = claimant;
    this.#usage = new UsageLeft(state, claimant);
  }

  mark(): Mark {
    return this.#steps.length as Mark;
  }

  /** Undoes every step since the mark, the last first. Returns false: the trial has failed. */
  undoTo(mark: Mark): false {
    if (mark > this.#steps.length) throw new Error(`Bug: step ${mark} of a draft was undone before`);
    while (this.#steps.length > mark) this.#undo(must(this.#steps.pop(), "a draft has steps to undo"));
    return false;
  }

  #undo(step: Step): void {
    switch (step.did) {
      case "evict":
        this.#remove(step.victim);
        this.#first = step.first;
        break;
      case "spare":
        this.#add(step.victim, step.rule);
        break;
      case "hold":
        for (const { node, gpus } of step.seats)
          step.fleet.unhold(node, gpus, step.each.cpusMilli, step.each.memoryMiB);
        break;
    }
  }

  get victims(): ReadonlyMap<Victim, Rule> {
    return this.#victims;
  }

  /** The first victim that was evicted, even if it was spared since. */
  get first(): Victim | undefined {
    return this.#first;
  }

  evict(victim: Victim, rule: Rule): void {
    // A job that leaves whole takes with it the extra members that were to leave before.
    if (!victim.extra && victim.job.leases.some((lease) => lease.extra)) {
      for (const other of [...this.#victims.keys()].toReversed()) if (other.job === victim.job) this.spare(other);
    }
    this.#steps.push({ did: "evict", victim, first: this.#first });
    this.#first ??= victim;
    this.#add(victim, rule);
  }

  spare(victim: Victim): void {
    const rule = must(this.#victims.get(victim), "only a victim of the draft is spared");
    this.#steps.push({ did: "spare", victim, rule });
    this.#remove(victim);
  }

  /** Holds seats for the claimant, so that no other search takes them. */
  hold(fleet: Holding, seats: readonly Seat[], each: BesideGpus): void {
    this.#steps.push({ did: "hold", fleet, seats, each });
    for (const { node, gpus } of seats) fleet.hold(node, gpus, this.claimant.job.no, each.cpusMilli, each.memoryMiB);
  }

  #add(victim: Victim, rule: Rule): void {
    this.#victims.set(victim, rule);
    if (!victim.extra) this.#whole.add(victim.job);
    for (const { node } of victim.leases) {
      const here = this.#on.get(node);
      if (here === undefined) this.#on.set(node, [victim]);
      else if (!here.includes(victim)) here.push(victim);
    }
    this.#usage.count(victim, 1);
    this.#watcher?.changed(victim);
  }

  #remove(victim: Victim): void {
    this.#victims.delete(victim);
    if (!victim.extra) this.#whole.delete(victim.job);
    for (const { node } of victim.leases) {
      const here = this.#on.get(node)!;
      if (here.includes(victim)) here.splice(here.indexOf(victim), 1);
    }
    this.#usage.count(victim, -1);
    this.#watcher?.changed(victim);
  }

  /** Notifies a watcher of every change from now on. */
  watch(watcher: DraftWatcher): void {
    this.#watcher = watcher;
  }

  /** Evicted already, by itself or with its whole job. */
  isGone(victim: Victim): boolean {
    return this.#whole.has(victim.job) || this.#victims.has(victim);
  }

  /** The victims that hold something on a node. */
  on(node: NodeNo): readonly Victim[] {
    return this.#on.get(node) ?? none;
  }

  /** The answer to a question about the draft with one more victim. */
  ifEvicted<Answer>(victim: Victim, answer: () => Answer): Answer {
    const mark = this.mark();
    this.evict(victim, "T2");
    const answered = answer();
    this.undoTo(mark);
    return answered;
  }

  left(account: AccountNo): Held {
    return this.#usage.left(account);
  }

  share(account: AccountNo): Share {
    return this.#usage.share(account);
  }

  /** The claimant's side at a common account once the claimant runs; undefined = it is a side of its own. */
  winner(side: AccountNo | undefined): WinningSide {
    return this.#usage.winner(side);
  }

  /** What an account keeps if it also keeps some leases of its victims. */
  leftWith(account: AccountNo, leases: readonly Lease[]): Held {
    return this.#usage.leftWith(account, leases);
  }

  /** What an account keeps without one of the evictions. Counts only: the order of the victims stays. */
  leftIfSpared(account: AccountNo, victim: Victim): Held {
    this.#usage.count(victim, -1);
    const left = this.#usage.left(account);
    this.#usage.count(victim, 1);
    return left;
  }

  /** What an account loses with one more victim: nothing on a node where a confidential tenant keeps another seat [U3]. */
  lossOf(account: AccountNo, victim: Victim): Held {
    const left = this.left(account);
    return this.ifEvicted(victim, () => minus(left, this.left(account)));
  }

  /** Whether the tenant that has a node to itself would have no seat left there [U3]. */
  empties(node: NodeNo): boolean {
    return this.#usage.empties(node);
  }

  /** Units that the victims leave free on nodes that take work. */
  unitsFreed(name = "*"): number {
    let units = 0;
    for (const victim of this.#victims.keys()) units += unitsFreedBy(this.state, victim, name);
    return units;
  }
}

/** Units that a victim leaves free on nodes that take work. No other job comes to a GPU that is held for a claimant [P3]. */
export function unitsFreedBy({ fleet }: ReadonlyState, { leases }: Victim, name = "*"): number {
  let units = 0;
  for (const { node, gpus, unitsEach } of leases) {
    if (fleet.node(node).mode !== "up") continue;
    for (const gpu of gpus) if (fleet.gpuHeldFor[gpu] === 0 && fleet.isOf(gpu, name)) units += unitsEach;
  }
  return units;
}

const none: readonly Victim[] = [];
