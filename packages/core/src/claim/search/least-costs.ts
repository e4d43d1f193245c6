import { Heap, type Placed } from "../../collections/heap.ts";
import type { Level } from "../../fleet/topology.ts";
import { type NodeNo, noAccount } from "../../model/ids.ts";
import type { Job, Members } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { FleetNode } from "../../model/node.ts";
import type { Instant } from "../../model/units.ts";
import { lostMsOf } from "../../run/lost-work.ts";
import { jobOf } from "../../state/live-jobs.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import { gpusOf, leavesFirst, stayingLeases, whole } from "../draft/victim.ts";
import { type ClaimNeed, Site } from "../seats/site.ts";
import { AreaCosts } from "./area-costs.ts";
import type { LeastCost } from "./least-cost.ts";

/**
 * The order of nodes: by the victim that would lose least, or by the work that the whole node would lose. The bound of
 * the latter is tighter for a claimant that may take all burst work by T1.
 */
export type LeastCostOrder = "by-victim" | "by-node" | "by-node-all-burst";

/**
 * The least that room for one member costs on each node if burst work leaves. A lawful claim costs as much or more, so
 * nodes with a higher bound than the best claim found need not be examined. Valid for one instant; nodes that change
 * meanwhile are counted again.
 */
export class LeastCosts {
  readonly #state: ReadonlyState;
  readonly #need: ClaimNeed;
  readonly #now: Instant;
  readonly #byNode: (NodeLeastCost | undefined)[];
  readonly #heap: Heap<NodeLeastCost>;
  readonly #allBurst: boolean;
  #changes: number;
  readonly #inAreas = new Map<string, AreaCosts>();

  constructor(state: ReadonlyState, need: ClaimNeed, now: Instant, order: LeastCostOrder) {
    const { nodes, changes } = state.fleet;
    this.#heap = new Heap<NodeLeastCost>(order === "by-victim" ? losesLess : isCheaper);
    this.#allBurst = order === "by-node-all-burst";
    this.#state = state;
    this.#need = need;
    this.#now = now;
    this.#changes = changes.count;
    this.#byNode = nodes.map((node) => node && new NodeLeastCost(node.no));
    for (const cost of this.#byNode) if (cost !== undefined) this.#count(cost);
  }

  /** The bounds of some nodes, without those on which burst work makes no room. */
  among(nodes: Iterable<NodeNo>): LeastCost[] {
    const found: LeastCost[] = [];
    for (const node of nodes) {
      const cost = this.#byNode[node]!;
      if (cost.lost < Number.POSITIVE_INFINITY) found.push(cost);
    }
    return found;
  }

  /** The least that all members cost in each domain of a level, given as the nodes of each. */
  inAreas(level: Level, areas: readonly ReadonlyMap<NodeNo, number>[], members: Members): AreaCosts {
    const key = `${level}/${members.min}/${members.apart}`;
    let known = this.#inAreas.get(key);
    if (known === undefined) {
      known = new AreaCosts(this, areas, members);
      this.#inAreas.set(key, known);
    }
    return known;
  }

  /** Nodes on which burst work can make room, the cheapest first. */
  *cheapest(): Generator<LeastCost> {
    const seen: NodeLeastCost[] = [];
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

  /** Counts the nodes again that have changed since the last time; false where too many have changed to know which. */
  catchUp(): boolean {
    const { changes } = this.#state.fleet;
    if (changes.count - this.#changes > changes.recent.length) return false;
    const changed = new Set<NodeNo>();
    for (; this.#changes < changes.count; this.#changes++)
      changed.add(changes.recent[this.#changes % changes.recent.length]! as NodeNo);
    for (const node of changed) {
      this.#count(this.#byNode[node]!);
      for (const areas of this.#inAreas.values()) areas.forget(node);
    }
    return true;
  }

  #count(cost: NodeLeastCost): void {
    const node = this.#state.fleet.nodes[cost.node];
    if (node?.mode === "up") this.#reckon(node, cost);
    else cost.set(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0);
    if (cost.lost === Number.POSITIVE_INFINITY) this.#heap.delete(cost);
    else this.#heap.update(cost);
  }

  #reckon(node: FleetNode, cost: NodeLeastCost): void {
    const site = new Site(this.#state.fleet, node, this.#need);
    if (site.fits([]) > 0) {
      cost.set(0, 0, 0, 0);
      return;
    }
    const { least, leastWork, served, lost, part, jobs, offers } = this.#burstOn(site);
    const missing = Math.max(0, this.#need.gpus - site.free);
    if (least === Number.POSITIVE_INFINITY || missing > served)
      cost.set(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0);
    else if (missing === served && missing > 0) cost.set(lost, part, jobs, least);
    else {
      // At least one job leaves, and it leaves whole.
      const first = this.#allBurst ? this.#firstWork(offers) : leastWork;
      cost.set(Math.max(first, least * missing), least * missing, 1, least);
    }
  }

  /** What the burst work of a node would lose and leave. */
  #burstOn(site: Site): BurstOnNode {
    let least = Number.POSITIVE_INFINITY;
    let leastWork = Number.POSITIVE_INFINITY;
    let served = 0;
    let lost = 0;
    let part = 0;
    const jobs: Job[] = [];
    const offers: Job[] = [];
    for (const lease of this.#state.fleet.leasesOn(site.node.no)) {
      const job = jobOf(this.#state, lease.job);
      if (!mayLeave(job, lease)) continue;
      const lostMs = hasExtra(job) ? 0 : lostMsOf(job, this.#now);
      const staying = stayingLeases(job);
      const work = lostMs * gpusOf(staying);
      least = Math.min(least, lostMs);
      leastWork = Math.min(leastWork, work);
      if (this.#allBurst) this.#offer(offers, job);
      const serves = site.served(lease);
      served += serves;
      if (serves === 0 || jobs.includes(job)) continue;
      jobs.push(job);
      lost += work;
      part += work / nodesOf(staying);
    }
    return { least, leastWork, served, lost, part, jobs: jobs.length, offers };
  }

  /** Keeps, for each account, the job that leaves first [T5]. */
  #offer(offers: Job[], job: Job): void {
    const at = offers.findIndex(({ account }) => account === job.account);
    if (at < 0) offers.push(job);
    else if (leavesFirst(whole(job), whole(offers[at]!), this.#now) < 0) offers[at] = job;
  }

  /** The work lost with the first job to leave for a guarantee: that with the least time per GPU [T5], then the smallest. */
  #firstWork(offers: readonly Job[]): number {
    const leastMs = Math.min(...offers.map((job) => lostMsOf(job, this.#now)));
    const first = offers.filter((job) => lostMsOf(job, this.#now) === leastMs);
    return Math.min(...first.map((job) => leastMs * gpusOf(stayingLeases(job))));
  }
}

interface BurstOnNode {
  /** The least time per GPU that one of the jobs loses; infinite where there is none. */
  readonly least: number;
  /** The least work that one of the jobs loses. */
  readonly leastWork: number;
  /** GPUs that could serve the claimant. */
  readonly served: number;
  /** Work that the jobs on those GPUs lose together, and the same with the work of a gang in equal parts on its nodes. */
  readonly lost: number;
  readonly part: number;
  readonly jobs: number;
  /** The first job to leave of each account. */
  readonly offers: readonly Job[];
}

class NodeLeastCost implements LeastCost, Placed {
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

function losesLess(a: LeastCost, b: LeastCost): boolean {
  return a.leastMs !== b.leastMs ? a.leastMs < b.leastMs : a.node < b.node;
}

function isCheaper(a: LeastCost, b: LeastCost): boolean {
  if (a.lost !== b.lost) return a.lost < b.lost;
  return a.victims !== b.victims ? a.victims < b.victims : a.node < b.node;
}

/** Burst work that is not stopping already. */
function mayLeave(job: Job, lease: Lease): boolean {
  if (job.state === "stopping" || !job.spec.preemptible) return false;
  return lease.extra ? lease.state !== "stopping" : job.cover === noAccount;
}

/** Whether it has members beyond its minimum: those lose nothing when they leave alone. */
function hasExtra({ leases }: Job): boolean {
  for (const { extra } of leases) if (extra) return true;
  return false;
}

function nodesOf(leases: readonly Lease[]): number {
  return leases.length === 1 ? 1 : new Set(leases.map((lease) => lease.node)).size;
}
