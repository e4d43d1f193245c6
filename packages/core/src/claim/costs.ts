import { Heap, type Placed } from "../collections/heap.ts";
import type { Level } from "../fleet/topology.ts";
import { type NodeNo, noAccount } from "../model/ids.ts";
import type { Job, Members } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { lostMsOf } from "../run/lost-work.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
import type { Cost } from "./cost.ts";
import { PlaceCosts } from "./place-costs.ts";
import { type ClaimNeed, Site } from "./site.ts";
import { gpusOf, leavesFirst, stayingLeases, whole } from "./victim.ts";

/**
 * What nodes are ordered by: who would lose least, or where the least is lost; there more can be told for a claimant who
 * may take everyone that is burst, by T1.
 */
export type CostKind = "who" | "where" | "where-everyone";

/**
 * What room for one member costs on each node at least, if burst work leaves: whatever the rules allow costs as much or
 * more, so nodes that are dearer than what was found need no look. Good for one instant; nodes that change meanwhile are
 * counted anew.
 */
export class Costs {
  readonly #state: State;
  readonly #need: ClaimNeed;
  readonly #now: Instant;
  readonly #byNode: (NodeCost | undefined)[];
  readonly #heap: Heap<NodeCost>;
  readonly #everyone: boolean;
  #changes: number;
  readonly #inPlaces = new Map<string, PlaceCosts>();

  constructor(state: State, need: ClaimNeed, now: Instant, kind: CostKind) {
    const { nodes, changes } = state.fleet;
    this.#heap = new Heap<NodeCost>(kind === "who" ? losesLess : isCheaper);
    this.#everyone = kind === "where-everyone";
    this.#state = state;
    this.#need = need;
    this.#now = now;
    this.#changes = changes.count;
    this.#byNode = nodes.map((node) => node && new NodeCost(node.no));
    for (const cost of this.#byNode) if (cost !== undefined) this.#count(cost);
  }

  /** Those of some nodes on which burst work can make room. */
  among(nodes: Iterable<NodeNo>): Cost[] {
    const found: Cost[] = [];
    for (const node of nodes) {
      const cost = this.#byNode[node]!;
      if (cost.lost < Number.POSITIVE_INFINITY) found.push(cost);
    }
    return found;
  }

  /** What all members cost at least in each place of a level, of which these are the nodes. */
  inPlaces(level: Level, places: readonly ReadonlyMap<NodeNo, number>[], members: Members): PlaceCosts {
    const key = `${level}/${members.min}/${members.apart}`;
    let known = this.#inPlaces.get(key);
    if (known === undefined) {
      known = new PlaceCosts(this, places, members);
      this.#inPlaces.set(key, known);
    }
    return known;
  }

  /** Nodes on which burst work can make room, from the cheapest on. */
  *cheapest(): Generator<Cost> {
    const seen: NodeCost[] = [];
    try {
      for (let cost = this.#heap.first; cost !== undefined; cost = this.#heap.first) {
        seen.push(cost);
        this.#heap.delete(cost);
        yield cost;
      }
    } finally {
      for (const cost of seen) this.#heap.update(cost);
    }
  }

  /** Counts those nodes anew that have changed since the last time; false when they are too many to know which. */
  catchUp(): boolean {
    const { changes } = this.#state.fleet;
    if (changes.count - this.#changes > changes.recent.length) return false;
    const changed = new Set<NodeNo>();
    for (; this.#changes < changes.count; this.#changes++)
      changed.add(changes.recent[this.#changes % changes.recent.length]! as NodeNo);
    for (const node of changed) {
      this.#count(this.#byNode[node]!);
      for (const places of this.#inPlaces.values()) places.forget(node);
    }
    return true;
  }

  #count(cost: NodeCost): void {
    const node = this.#state.fleet.nodes[cost.node];
    if (node?.mode === "up") this.#reckon(node, cost);
    else cost.set(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0);
    if (cost.lost === Number.POSITIVE_INFINITY) this.#heap.delete(cost);
    else this.#heap.update(cost);
  }

  #reckon(node: FleetNode, cost: NodeCost): void {
    const site = new Site(this.#state.fleet, node, this.#need);
    if (site.fits([]) > 0) {
      cost.set(0, 0, 0, 0);
      return;
    }
    let least = Number.POSITIVE_INFINITY;
    let leastWork = Number.POSITIVE_INFINITY;
    let gpus = 0;
    let lost = 0;
    let part = 0;
    let found = false;
    const jobs: Job[] = [];
    const offers: Job[] = [];
    for (const lease of this.#state.fleet.leasesOn(node.no)) {
      const job = jobOf(this.#state, lease.job);
      if (!mayLeave(job, lease)) continue;
      const lostMs = hasExtra(job) ? 0 : lostMsOf(job, this.#now);
      const staying = stayingLeases(job);
      const work = lostMs * gpusOf(staying);
      least = Math.min(least, lostMs);
      leastWork = Math.min(leastWork, work);
      found = true;
      if (this.#everyone) this.#offer(offers, job);
      const served = site.served(lease);
      gpus += served;
      if (served === 0 || jobs.includes(job)) continue;
      jobs.push(job);
      lost += work;
      part += work / nodesOf(staying);
    }
    const missing = Math.max(0, this.#need.gpus - site.free);
    if (!found || missing > gpus) cost.set(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0);
    else if (missing === gpus && missing > 0) cost.set(lost, part, jobs.length, least);
    else {
      // Someone leaves, and whoever does leaves whole.
      const someone = this.#everyone ? this.#firstWork(offers) : leastWork;
      cost.set(Math.max(someone, least * missing), least * missing, 1, least);
    }
  }

  /** Each account offers who of it leaves first [T5]. */
  #offer(offers: Job[], job: Job): void {
    const at = offers.findIndex(({ account }) => account === job.account);
    if (at < 0) offers.push(job);
    else if (leavesFirst(whole(job), whole(offers[at]!), this.#now) < 0) offers[at] = job;
  }

  /** The work of the first to leave for a floor [T5]: who loses the least time, be it one of several. */
  #firstWork(offers: readonly Job[]): number {
    const leastMs = Math.min(...offers.map((job) => lostMsOf(job, this.#now)));
    const first = offers.filter((job) => lostMsOf(job, this.#now) === leastMs);
    return Math.min(...first.map((job) => leastMs * gpusOf(stayingLeases(job))));
  }
}

class NodeCost implements Cost, Placed {
  readonly node: NodeNo;
  lost = Number.POSITIVE_INFINITY;
  part = Number.POSITIVE_INFINITY;
  victims = 0;
  leastMs = 0;
  place = -1;

  constructor(node: NodeNo) {
    this.node = node;
  }

  set(lost: number, part: number, victims: number, leastMs: number): void {
    this.lost = lost;
    this.part = part;
    this.victims = victims;
    this.leastMs = leastMs;
  }
}

function losesLess(a: Cost, b: Cost): boolean {
  return a.leastMs !== b.leastMs ? a.leastMs < b.leastMs : a.node < b.node;
}

function isCheaper(a: Cost, b: Cost): boolean {
  if (a.lost !== b.lost) return a.lost < b.lost;
  return a.victims !== b.victims ? a.victims < b.victims : a.node < b.node;
}

/** Burst work that is not on its way out already. */
function mayLeave(job: Job, lease: Lease): boolean {
  if (job.state === "stopping" || !job.spec.preemptible) return false;
  return lease.extra ? lease.state !== "stopping" : job.cover === noAccount;
}

/** Whether it has members beyond the minimum: those lose nothing when they leave alone. */
function hasExtra({ leases }: Job): boolean {
  for (const { extra } of leases) if (extra) return true;
  return false;
}

function nodesOf(leases: readonly Lease[]): number {
  return leases.length === 1 ? 1 : new Set(leases.map((lease) => lease.node)).size;
}
