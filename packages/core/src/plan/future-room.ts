import { DomainRoom } from "../fleet/domain-room.ts";
import { type Going, isInEngine, type MayUse, type MemberAsk, type MemberNeed } from "../fleet/fit.ts";
import { spreadGang } from "../fleet/gang.ts";
import { opensBy, outlasts } from "../fleet/maintenance.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { nodesOfOthers } from "../place/apart.ts";
import { keptApart } from "../place/dedicated.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { FutureCoresAndMemory } from "./cores-and-memory.ts";
import { futureParts, type PartsFound } from "./future-parts.ts";
import type { PlanList } from "./plan-list.ts";
import type { PlannedStart } from "./planned-start.ts";
import { membersBeside, type Spare, type SpareOn, takeSpare } from "./spare.ts";

/** One alternative of a job on one model. */
export interface StartOption {
  readonly job: Job;
  readonly choice: number;
  /** What one member needs. A part needs no whole GPU: parts are counted GPU by GPU. */
  readonly need: MemberNeed;
  readonly isPart: boolean;
}

/** What a start takes of its nodes, and what it leaves there. */
type Reserved = Pick<PlannedStart, "takes" | "parts"> & { readonly spare: SpareOn };

const plenty = Number.POSITIVE_INFINITY;
const oneGpu: MemberAsk = { gpus: 1, cpusMilli: 0, memoryMiB: 0 };
const noParts: PartsFound = { parts: new Map(), members: 0, opened: 0 };
const noGpus: ReadonlyMap<NodeNo, number> = new Map();

/**
 * How many members of a job fit each node at an instant that moves forward [B1]. The counts are kept up to date, so that
 * a step costs as much as what ends in it.
 */
export class FutureRoom {
  readonly #state: ReadonlyState;
  readonly #plans: PlanList;
  readonly #option: StartOption;
  readonly #runMs: number;
  readonly #mayUse: MayUse | undefined;
  readonly #apartFrom: ReadonlySet<NodeNo> | undefined;
  readonly #coresAndMemory: FutureCoresAndMemory;
  /** By node: whole GPUs of jobs that have ended by then. */
  readonly #freed: Int32Array;
  /** By node: how many members fit. */
  readonly #fit: Int32Array;
  #total = 0;
  #at: Instant;
  /** By node: whole GPUs that would be reclaimed for the job. */
  #reclaimed: ReadonlyMap<NodeNo, number> = noGpus;

  constructor(plans: PlanList, option: StartOption) {
    const { state } = plans;
    const { job, need } = option;
    this.#state = state;
    this.#plans = plans;
    this.#option = option;
    this.#runMs = plans.runMs(job);
    this.#mayUse = keptApart(state, job.account);
    this.#apartFrom = nodesOfOthers(state, job);
    this.#coresAndMemory = new FutureCoresAndMemory(need);
    this.#freed = new Int32Array(state.fleet.nodes.length);
    this.#fit = new Int32Array(state.fleet.nodes.length);
    this.#at = plans.now;
  }

  /** Moves to a later instant. Counts stay as they are until `end` or `count` is called for a node. */
  moveTo(at: Instant): void {
    if (at < this.#at) throw new Error("Bug: the moments of a timeline are not in order");
    this.#at = at;
  }

  /** Counts every node that has enough free GPUs now. */
  countAll(): void {
    const { nodeFreeGpus } = this.#state.fleet;
    for (let no = 0; no < this.#fit.length; no++) if (nodeFreeGpus[no]! >= this.#option.need.gpus) this.count(no);
  }

  /** Counts a node as of this instant. */
  count(no: number): void {
    const node = this.#state.fleet.nodes[no];
    const fit = node === undefined ? 0 : this.#membersOn(node);
    this.#total += fit - this.#fit[no]!;
    this.#fit[no] = fit;
  }

  /** A running job has ended at this instant. */
  end(job: Job): void {
    const { fleet } = this.#state;
    const { need, isPart } = this.#option;
    const isCounted = this.#coresAndMemory.isNeeded;
    for (const lease of job.leases) {
      const { node, gpus, part } = lease;
      if (isCounted) this.#coresAndMemory.end(lease);
      // The end of a part need not free its GPU, and a GPU held for a claimant is not free for others.
      let whole = 0;
      if (part === undefined) for (const gpu of gpus) if (fleet.gpuHeldFor[gpu] === 0) whole++;
      this.#freed[node]! += whole;
      if (whole === 0 && !isCounted && !isPart && this.#mayUse === undefined) continue;
      // Most nodes on which something ends are still too full.
      if (fleet.nodeFreeGpus[node]! + this.#freed[node]! >= need.gpus) this.count(node);
    }
  }

  /** Counts GPUs of each node as if they were reclaimed for the job, instead of those given before. */
  reclaim(gpusOn: ReadonlyMap<NodeNo, number>): void {
    const before = this.#reclaimed;
    this.#reclaimed = gpusOn;
    for (const no of before.keys()) this.count(no);
    for (const no of gpusOn.keys()) this.count(no);
  }

  reclaimNothing(): void {
    if (this.#reclaimed.size > 0) this.reclaim(noGpus);
  }

  get isReclaiming(): boolean {
    return this.#reclaimed.size > 0;
  }

  /** Members by node, if all of the job's fit as it asks for them; else undefined. */
  spread(): Map<FleetNode, number> | undefined {
    const { spec } = this.#option.job;
    if (this.#total < spec.members.min) return undefined;
    const { fleet } = this.#state;
    return spreadGang(fleet, spec.members.min, new DomainRoom(fleet, (node) => this.#fit[node.no]!), spec);
  }

  /** What the job takes and leaves if its members are spread like this. */
  reserve(spread: ReadonlyMap<FleetNode, number>): Reserved {
    const { need, isPart, job } = this.#option;
    const spare: SpareOn = new Map();
    const takes = new Map<NodeNo, MemberAsk>();
    const parts = new Map<GpuNo, number>();
    let members = 0;
    for (const [node, here] of spread) {
      const found = isPart ? this.#partsOn(node, here) : noParts;
      for (const [gpu, count] of found.parts) parts.set(gpu, count);
      const [cpusMilli, memoryMiB] = [need.cpusMilli * here, need.memoryMiB * here];
      const amount = { gpus: need.gpus * here + found.opened, cpusMilli, memoryMiB };
      takes.set(node.no, amount);
      spare.set(node.no, this.#leftOn(node));
      takeSpare(spare, node.no, amount);
      members += here;
    }
    if (members !== job.spec.members.min) throw new Error("Bug: a planned start seats every member once");
    return { takes, parts, spare };
  }

  #membersOn(node: FleetNode): number {
    const { job, need, isPart } = this.#option;
    const { min, apart } = job.spec.members;
    if (!this.#takesJob(node)) return 0;
    let members = membersBeside(this.#leftOn(node), need, apart ? 1 : min);
    if (members > 0) members = this.#membersLeft(node.no, need, members);
    return members === 0 || !isPart ? members : this.#partsOn(node, members).members;
  }

  /** Whether a node takes the job at all: by what it is, by maintenance, by its tenant, and by jobs it is to be kept apart from. */
  #takesJob(node: FleetNode): boolean {
    const { job, need } = this.#option;
    if (!isInEngine(this.#state.fleet, node, need) || need.among?.has(node) === false) return false;
    if (!opensBy(node, this.#at) || !outlasts(node, job.spec, this.#at)) return false;
    if (this.#mayUse !== undefined && this.#isKeptOff(node, this.#mayUse)) return false;
    return this.#apartFrom?.has(node.no) !== true;
  }

  #isKeptOff(node: FleetNode, mayUse: MayUse): boolean {
    const endAt = this.#at + this.#runMs;
    return (
      !mayUse(node, this.#endedOn(node.no)) || this.#plans.isKeptOffBetween(this.#option.job, node.no, this.#at, endAt)
    );
  }

  /** The seats on a node that will have been given back. */
  *#endedOn(node: NodeNo): Generator<Going> {
    for (const lease of this.#state.fleet.leasesOn(node)) {
      const job = jobOf(this.#state, lease.job);
      if (!this.#plans.ends.runsPast(job, this.#at)) yield { account: job.account, node };
    }
  }

  /** What a node has free beside the plans that have begun. */
  #leftOn(node: FleetNode): Spare {
    const gpus = this.#gpusLeftOn(node);
    // Cores and memory of reclaimed jobs leave with them and are not counted.
    if (!this.#coresAndMemory.isNeeded || this.#reclaimed.has(node.no))
      return { gpus, cpusMilli: plenty, memoryMiB: plenty };
    return { gpus, ...this.#coresAndMemory.left(node, this.#plans.takesOn(node.no, this.#at)) };
  }

  #gpusLeftOn(node: FleetNode): number {
    const { need, isPart } = this.#option;
    if (need.gpus === 0 && !isPart) return plenty;
    return this.#gpusFreeOn(node) - this.#plans.gpusOn(node.no, this.#at);
  }

  #gpusFreeOn(node: FleetNode): number {
    const { fleet } = this.#state;
    if (fleet.soleModel(node) !== this.#option.need.model) return 0;
    return fleet.nodeFreeGpus[node.no]! + this.#freed[node.no]! + (this.#reclaimed.get(node.no) ?? 0);
  }

  /** How many of `members` delay no plan that begins while the job runs. */
  #membersLeft(node: NodeNo, need: MemberAsk, members: number): number {
    return this.#plans.membersLeft(node, this.#at, this.#at + this.#runMs, need, members);
  }

  #partsOn(node: FleetNode, membersMax: number): PartsFound {
    const { model } = this.#option.need;
    if (this.#state.fleet.soleModel(node) !== model) return noParts;
    const at = this.#at;
    const openedMax = this.#membersLeft(node.no, oneGpu, Math.max(0, this.#gpusLeftOn(node)));
    const planned = this.#plans.withParts(at, at + this.#runMs);
    const question = { seeker: this.#option, node, model, at, planned, membersMax, openedMax };
    return futureParts(this.#state, this.#plans.ends, question);
  }
}
