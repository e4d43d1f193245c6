import { NodeIndex } from "../collections/node-index.ts";
import { NodeSet } from "../collections/node-set.ts";
import type { Newcomer, Occupant, PartDevice, PartTenant } from "../gpu/seat.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { GpuNo, JobNo, LeaseId, NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode, NodeFacts, NodeMode } from "../model/node.ts";
import type { PoolMode } from "../model/part.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { DomainRoom, type Fits } from "./domain-room.ts";
import { SharedGpus } from "./shared-gpus.ts";
import { Topology } from "./topology.ts";

/** Needs whose rooms are kept up to date; the fleet is counted anew for others. */
const roomsMax = 32;

/**
 * All devices as columns: index a GPU by its number. Numbers are given once and never reused, so a lease can name a
 * device for ever; a node that leaves keeps its numbers with a capacity of nothing.
 */
export class Fleet {
  readonly nodes: (FleetNode | undefined)[] = [];
  readonly nodeByName = new Map<string, FleetNode>();
  /** Model names in order of appearance; a model is known by its place here. */
  readonly models: string[] = [];
  /** What all nodes have, whatever their mode; what shares are parts of. */
  readonly totals = { gpuUnits: 0, cpusMilli: 0, memoryMiB: 0 };
  /** Counts changes of what the nodes have, whatever they hold. */
  composition = 0;
  /** Counts changes of which models there are in pools of which modes. */
  kinds = 0;
  /** By model, how many GPUs are in pools of each mode. */
  readonly #pools: Map<PoolMode, number>[] = [];
  /** Which nodes have changed in any way, the last ones: change `n` is at `n` modulo the length. */
  readonly changes = { count: 0, recent: new Int32Array(4_096) };
  /** DomainRoom by what is needed, the one used last at the end. */
  readonly #rooms = new Map<string, DomainRoom>();
  gpus = 0;
  gpuNode = new Int32Array(64);
  gpuModel = new Uint16Array(64);
  gpuMemoryMiB = new Int32Array(64);
  gpuCapacity = new Int32Array(64);
  gpuFree = new Int32Array(64);
  gpuFreeMemory = new Int32Array(64);
  /** Units of those who have been told to leave. */
  gpuLeaving = new Int32Array(64);
  /** The job for which a GPU is being kept free; 0 = none. */
  gpuHeldFor = new Int32Array(64);
  /** Whose work may still be in the memory of a GPU (see marks.ts), and how it was last cut. */
  gpuMark = new Int32Array(64);
  gpuMode = new Uint16Array(64);
  readonly gpuUuid: string[] = [];
  /** Wholly free GPUs of each node. */
  nodeFreeGpus = new Int32Array(16);
  /** GPUs of each node that hold work which a guarantee covers; one that is shared counts for each. */
  nodeCoveredGpus = new Int32Array(16);
  /** Nodes that take work, by the model of their GPUs and how many of those are free. */
  readonly #byFree: NodeIndex[][] = [];
  /** Nodes that take work and have GPUs of several models, or none. */
  readonly oddNodes = new NodeIndex();
  /** Where each node is looked for. */
  readonly #indexOf: (NodeIndex | undefined)[] = [];
  /** The model of all GPUs of each node; -1 where there are several, or none. */
  readonly #soleModel: number[] = [];
  /** Units of each node's GPUs that are kept for nobody, where it takes work: free, and of those who leave. */
  #nodeOpen = new Int32Array(16);
  #nodeLeaving = new Int32Array(16);
  #open = 0;
  #leaving = 0;
  /** The same by model, on nodes whose GPUs are all of one. */
  readonly #openOf: number[] = [];
  readonly #leavingOf: number[] = [];
  /** Nodes that take work and on which someone has been told to leave. */
  readonly nodesBeingLeft = new NodeSet();
  /** Those of them where a GPU will be free that is kept for nobody, or is and waits for cores or memory. */
  readonly nodesToHave = new NodeSet();
  /** Nodes that are planned to be out of use at some time. */
  readonly maintained = new Set<NodeNo>();
  readonly topology = new Topology();
  readonly #leasesOn: Lease[][] = [];
  /** Who holds parts of a GPU, by lease. */
  readonly parts = new Map<number, Map<LeaseId, Occupant>>();
  /** When a GPU that is shared last got or lost an occupant: its record is written forward only. */
  readonly partsChangedAt = new Map<number, Instant>();
  /** The same GPUs, by what they have left and for whom. */
  readonly shared = new SharedGpus();

  modelNo(model: string): number {
    const known = this.models.indexOf(model);
    return known >= 0 ? known : this.models.push(model) - 1;
  }

  node(no: NodeNo): FleetNode {
    const node = this.nodes[no];
    if (node === undefined) throw new Error(`no node ${no}`);
    return node;
  }

  addNode(no: NodeNo, firstGpu: GpuNo, facts: NodeFacts, at: Instant): void {
    if (no !== this.nodes.length || firstGpu !== this.gpus) throw new Error(`node ${no} is out of order`);
    const node: FleetNode = {
      no,
      facts,
      firstGpu,
      addedAt: at,
      mode: "up",
      reason: "",
      drainUntil: 0,
      revision: 1,
      changedAt: at,
      freeCpusMilli: facts.cpusMilli,
      freeMemoryMiB: facts.memoryMiB,
      leavingCpusMilli: 0,
      leavingMemoryMiB: 0,
      leases: 0,
    };
    this.nodes.push(node);
    this.nodeByName.set(facts.name, node);
    this.#grow(this.gpus + facts.gpus.length, this.nodes.length);
    for (const gpu of facts.gpus) {
      const index = this.gpus++;
      this.gpuNode[index] = no;
      this.gpuModel[index] = this.modelNo(gpu.model);
      this.gpuMemoryMiB[index] = gpu.memoryMiB;
      this.gpuCapacity[index] = unitsPerGpu;
      this.gpuFree[index] = unitsPerGpu;
      this.gpuFreeMemory[index] = unitsPerGpu;
      this.gpuUuid.push(gpu.uuid);
    }
    this.#leasesOn.push([]);
    this.#soleModel.push(this.#findSoleModel(node));
    this.#count(facts, 1);
    this.topology.add(no, facts.name, facts.place);
    this.#note(node);
  }

  changeNode(
    no: NodeNo,
    at: Instant,
    mode: NodeMode,
    reason: string,
    drainUntil: Instant,
    facts: NodeFacts | undefined,
  ): void {
    const node = this.node(no);
    node.mode = mode;
    node.reason = reason;
    node.drainUntil = drainUntil;
    node.revision++;
    node.changedAt = at;
    if (facts !== undefined) this.#refresh(node, facts);
    this.#note(node);
  }

  #refresh(node: FleetNode, facts: NodeFacts): void {
    this.topology.remove(node.no, node.facts.name, node.facts.place);
    this.topology.add(node.no, facts.name, facts.place);
    this.#count(node.facts, -1);
    this.#count(facts, 1);
    node.freeCpusMilli += facts.cpusMilli - node.facts.cpusMilli;
    node.freeMemoryMiB += facts.memoryMiB - node.facts.memoryMiB;
    node.facts = facts;
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + facts.gpus.length; gpu++) this.#regroup(gpu);
  }

  removeNode(no: NodeNo): void {
    const node = this.node(no);
    if (node.leases > 0) throw new Error(`node ${node.facts.name} still holds ${node.leases} leases`);
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
      this.gpuCapacity[gpu] = 0;
      this.gpuFree[gpu] = 0;
      this.gpuFreeMemory[gpu] = 0;
    }
    node.mode = "down";
    this.#note(node);
    this.#count(node.facts, -1);
    this.topology.remove(no, node.facts.name, node.facts.place);
    this.nodes[no] = undefined;
    this.maintained.delete(no);
    this.nodeByName.delete(node.facts.name);
  }

  /** Takes a seat. Fails rather than hold a device beyond its capacity (S1, S2). */
  take(lease: Lease, who: Newcomer | undefined): void {
    const { node: no, gpus, unitsEach, part } = lease;
    const node = this.node(no);
    const memory = part?.memory ?? unitsEach;
    for (const gpu of gpus) {
      const free = this.gpuFree[gpu]!;
      const freeMemory = this.gpuFreeMemory[gpu]!;
      if (this.gpuNode[gpu] !== no || free < unitsEach || freeMemory < memory) {
        throw new Error(`GPU ${gpu} has ${free} and ${freeMemory} units left, not ${unitsEach} and ${memory}`);
      }
      if (part !== undefined) {
        this.#share(gpu, lease.id, { ...who!, ...part });
        this.partsChangedAt.set(gpu, lease.placedAt);
      }
      this.gpuFree[gpu] = free - unitsEach;
      this.gpuFreeMemory[gpu] = freeMemory - memory;
      if (part !== undefined) this.#regroup(gpu);
    }
    node.freeCpusMilli -= lease.cpusMilli;
    node.freeMemoryMiB -= lease.memoryMiB;
    node.leases++;
    this.#leasesOn[no]!.push(lease);
    this.#note(node);
  }

  /** Gives a seat back. */
  give(lease: Lease): void {
    const { node: no, gpus, unitsEach, part } = lease;
    const node = this.node(no);
    for (const gpu of gpus) {
      this.gpuFree[gpu]! += unitsEach;
      this.gpuFreeMemory[gpu]! += part?.memory ?? unitsEach;
      if (this.gpuFree[gpu]! > this.gpuCapacity[gpu]!) throw new Error(`GPU ${gpu} is given back twice`);
      if (part !== undefined) {
        this.parts.get(gpu)!.delete(lease.id);
        if (this.parts.get(gpu)!.size === 0) {
          this.parts.delete(gpu);
          this.partsChangedAt.delete(gpu);
        }
        this.#regroup(gpu);
      }
    }
    node.freeCpusMilli += lease.cpusMilli;
    node.freeMemoryMiB += lease.memoryMiB;
    node.leases--;
    const leases = this.#leasesOn[no]!;
    leases.splice(leases.indexOf(lease), 1);
    this.#note(node);
  }

  /** What is held on a node. */
  leasesOn(no: NodeNo): readonly Lease[] {
    return this.#leasesOn[no]!;
  }

  #share(gpu: number, lease: LeaseId, occupant: Occupant): void {
    const occupants = this.parts.get(gpu);
    if (occupants === undefined) this.parts.set(gpu, new Map([[lease, occupant]]));
    else occupants.set(lease, occupant);
  }

  /** With whom a tenant shares has changed, also for the parts that it has. */
  neighboursChanged(who: PartTenant): void {
    for (const [gpu, occupants] of this.parts) {
      let changed = false;
      for (const [lease, occupant] of occupants) {
        if (occupant.tenant !== who.tenant) continue;
        occupants.set(lease, { ...occupant, ...who });
        changed = true;
      }
      if (!changed) continue;
      this.#regroup(gpu);
      this.#note(this.node(this.gpuNode[gpu]! as NodeNo));
    }
  }

  /** Who holds parts of a GPU. */
  occupants(gpu: number): Occupant[] {
    return [...(this.parts.get(gpu)?.values() ?? [])];
  }

  #regroup(gpu: number): void {
    this.shared.regroup(gpu, this.gpuModel[gpu]!, this.gpuFree[gpu]!, this.device(gpu), this.occupants(gpu));
  }

  /** Any GPU of a model. */
  someGpuOf(model: number): number {
    return this.gpuModel.indexOf(model);
  }

  /** A GPU as the rules of parts see it. */
  device(gpu: number): PartDevice {
    const pool = this.nodes[this.gpuNode[gpu]!]?.facts.pool ?? "whole";
    return { model: this.models[this.gpuModel[gpu]!]!, memoryMiB: this.gpuMemoryMiB[gpu]!, pool };
  }

  /** A lease has been told to leave (`sign` 1), or has left (-1). */
  countLeaving({ node: no, gpus, unitsEach, cpusMilli, memoryMiB }: Lease, sign: 1 | -1): void {
    const node = this.node(no);
    for (const gpu of gpus) this.gpuLeaving[gpu]! += sign * unitsEach;
    node.leavingCpusMilli += sign * cpusMilli;
    node.leavingMemoryMiB += sign * memoryMiB;
    this.#note(node);
  }

  /** Free units of the models of a name that nobody is kept waiting for, on nodes that take work. */
  freeUnitsUp(name = "*"): number {
    return name === "*" ? this.#open : this.#freeOf(name, false);
  }

  /** The same, once everyone has gone who was told to. */
  freeUnitsOnceLeft(name = "*"): number {
    return name === "*" ? this.#open + this.#leaving : this.#freeOf(name, true);
  }

  #freeOf(name: string, onceLeft: boolean): number {
    let units = 0;
    for (const [model, text] of this.models.entries()) {
      if (!modelMatches(name, text)) continue;
      units += (this.#openOf[model] ?? 0) + (onceLeft ? (this.#leavingOf[model] ?? 0) : 0);
    }
    for (let no = this.oddNodes.next(0); no >= 0; no = this.oddNodes.next(no + 1)) {
      const { firstGpu, facts } = this.nodes[no]!;
      for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
        if (this.gpuHeldFor[gpu] !== 0 || !this.isOf(gpu, name)) continue;
        units += this.gpuFree[gpu]! + (onceLeft ? this.gpuLeaving[gpu]! : 0);
      }
    }
    return units;
  }

  /** Whether a GPU is of a model that a name stands for. */
  isOf(gpu: number, name: string): boolean {
    return name === "*" || modelMatches(name, this.models[this.gpuModel[gpu]!]!);
  }

  /** Wholly free and kept for nobody. */
  isFree(gpu: number): boolean {
    return this.gpuFree[gpu] === unitsPerGpu && this.gpuFreeMemory[gpu] === unitsPerGpu && this.gpuHeldFor[gpu] === 0;
  }

  /** Keeps GPUs for a job, those that are free now and those that will be; and its cores and memory on the node. */
  hold(no: NodeNo, gpus: readonly GpuNo[], job: JobNo, cpusMilli: number, memoryMiB: number): void {
    const node = this.node(no);
    for (const gpu of gpus) {
      // Members of one gang may hold parts of one GPU.
      if (this.gpuHeldFor[gpu] !== 0 && this.gpuHeldFor[gpu] !== job)
        throw new Error(`GPU ${gpu} is kept for job ${this.gpuHeldFor[gpu]} already`);
      this.gpuHeldFor[gpu] = job;
    }
    node.freeCpusMilli -= cpusMilli;
    node.freeMemoryMiB -= memoryMiB;
    this.#note(node);
  }

  /** Ends a hold; the GPUs are free or still with those who are leaving. */
  unhold(no: NodeNo, gpus: readonly GpuNo[], cpusMilli: number, memoryMiB: number): void {
    const node = this.nodes[no];
    for (const gpu of gpus) this.gpuHeldFor[gpu] = 0;
    if (node === undefined) return;
    node.freeCpusMilli += cpusMilli;
    node.freeMemoryMiB += memoryMiB;
    this.#note(node);
  }

  /** Keeps the numbering when a fleet is read from a snapshot in which a node has already left. */
  skipRemoved(gpus: number): void {
    const no = this.nodes.length;
    this.nodes.push(undefined);
    this.#leasesOn.push([]);
    this.#soleModel.push(-1);
    this.#grow(this.gpus + gpus, this.nodes.length);
    for (let i = 0; i < gpus; i++) {
      this.gpuNode[this.gpus] = no;
      this.gpuUuid.push("");
      this.gpus++;
    }
  }

  /** Nodes that take work, whose GPUs are of this model and of which exactly `free` are free. */
  nodesWith(model: number, free: number): NodeIndex | undefined {
    return this.#byFree[model]?.[free];
  }

  /** Room everywhere for members that need the same; `fits` may depend on nothing but `need` and the node. */
  domainRoomFor(need: string, fits: Fits): DomainRoom {
    const known = this.#rooms.get(need);
    known?.catchUp();
    const rooms = known ?? new DomainRoom(this, fits);
    this.#rooms.delete(need);
    this.#rooms.set(need, rooms);
    if (this.#rooms.size > roomsMax) this.#rooms.delete(this.#rooms.keys().next().value!);
    return rooms;
  }

  /** Whatever was worked out from the nodes of a job is to be worked out anew. */
  touch(leases: readonly Lease[]): void {
    for (const { node } of leases) this.changes.recent[this.changes.count++ % this.changes.recent.length] = node;
  }

  /** The most GPUs of one model that any node has had. */
  freeMax(model: number): number {
    return (this.#byFree[model]?.length ?? 0) - 1;
  }

  /** The model of all its GPUs; -1 where there are several, or none. */
  soleModel(node: FleetNode): number {
    return this.#soleModel[node.no]!;
  }

  #findSoleModel({ firstGpu, facts }: FleetNode): number {
    if (facts.gpus.length === 0) return -1;
    const model = this.gpuModel[firstGpu]!;
    for (let gpu = firstGpu + 1; gpu < firstGpu + facts.gpus.length; gpu++) if (this.gpuModel[gpu] !== model) return -1;
    return model;
  }

  /** Counts a node anew after any change of what it has, holds or keeps, and enters it where it is then looked for. */
  #note(node: FleetNode): void {
    const { no, firstGpu, facts } = node;
    const up = node.mode === "up";
    const anyShared = !this.shared.isEmpty;
    let free = 0;
    let open = 0;
    let leaving = 0;
    for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
      if (this.isFree(gpu)) free++;
      if (anyShared) this.shared.note(gpu, up && this.gpuHeldFor[gpu] === 0, node.freeCpusMilli, node.freeMemoryMiB);
      if (!up || this.gpuHeldFor[gpu] !== 0) continue;
      open += this.gpuFree[gpu]!;
      leaving += this.gpuLeaving[gpu]!;
    }
    this.nodeFreeGpus[no] = free;
    this.#open += open - this.#nodeOpen[no]!;
    this.#leaving += leaving - this.#nodeLeaving[no]!;
    const model = this.#soleModel[no]!;
    if (model >= 0) {
      this.#openOf[model] = (this.#openOf[model] ?? 0) + open - this.#nodeOpen[no]!;
      this.#leavingOf[model] = (this.#leavingOf[model] ?? 0) + leaving - this.#nodeLeaving[no]!;
    }
    this.#nodeOpen[no] = open;
    const beingLeft = up && (node.leavingCpusMilli > 0 || node.leavingMemoryMiB > 0);
    if (leaving > 0 || beingLeft) this.nodesBeingLeft.add(no);
    else this.nodesBeingLeft.delete(no);
    if (leaving > 0 || (beingLeft && free > 0)) this.nodesToHave.add(no);
    else this.nodesToHave.delete(no);
    this.#nodeLeaving[no] = leaving;
    const index = up ? this.#indexFor(node) : undefined;
    const before = this.#indexOf[no];
    if (before !== undefined && before !== index) before.delete(no);
    index?.set(no, node.freeCpusMilli, node.freeMemoryMiB);
    this.#indexOf[no] = index;
    this.changes.recent[this.changes.count++ % this.changes.recent.length] = no;
  }

  #indexFor(node: FleetNode): NodeIndex {
    const model = this.soleModel(node);
    if (model < 0) return this.oddNodes;
    this.#byFree[model] ??= [];
    const sets = this.#byFree[model];
    while (sets.length <= node.facts.gpus.length) sets.push(new NodeIndex());
    return sets[this.nodeFreeGpus[node.no]!]!;
  }

  /** The modes of the pools in which there are GPUs of a model. */
  poolsOf(model: number): Iterable<PoolMode> {
    return this.#pools[model]?.keys() ?? [];
  }

  #count(facts: NodeFacts, sign: 1 | -1): void {
    this.composition++;
    for (const { model } of facts.gpus) this.#countPool(this.modelNo(model), facts.pool ?? "whole", sign);
    this.totals.gpuUnits += sign * facts.gpus.length * unitsPerGpu;
    this.totals.cpusMilli += sign * facts.cpusMilli;
    this.totals.memoryMiB += sign * facts.memoryMiB;
  }

  #countPool(model: number, pool: PoolMode, sign: 1 | -1): void {
    this.#pools[model] ??= new Map();
    const pools = this.#pools[model];
    const before = pools.get(pool) ?? 0;
    if (before + sign === 0) pools.delete(pool);
    else pools.set(pool, before + sign);
    if (before === 0 || before + sign === 0) this.kinds++;
  }

  #grow(gpus: number, nodes: number): void {
    if (gpus > this.gpuNode.length) {
      const size = Math.max(gpus, this.gpuNode.length * 2);
      this.gpuNode = grown(this.gpuNode, new Int32Array(size));
      this.gpuModel = grown(this.gpuModel, new Uint16Array(size));
      this.gpuMemoryMiB = grown(this.gpuMemoryMiB, new Int32Array(size));
      this.gpuCapacity = grown(this.gpuCapacity, new Int32Array(size));
      this.gpuFree = grown(this.gpuFree, new Int32Array(size));
      this.gpuFreeMemory = grown(this.gpuFreeMemory, new Int32Array(size));
      this.gpuHeldFor = grown(this.gpuHeldFor, new Int32Array(size));
      this.gpuLeaving = grown(this.gpuLeaving, new Int32Array(size));
      this.gpuMark = grown(this.gpuMark, new Int32Array(size));
      this.gpuMode = grown(this.gpuMode, new Uint16Array(size));
    }
    if (nodes > this.nodeFreeGpus.length) {
      const size = Math.max(nodes, this.nodeFreeGpus.length * 2);
      this.nodeFreeGpus = grown(this.nodeFreeGpus, new Int32Array(size));
      this.nodeCoveredGpus = grown(this.nodeCoveredGpus, new Int32Array(size));
      this.#nodeOpen = grown(this.#nodeOpen, new Int32Array(size));
      this.#nodeLeaving = grown(this.#nodeLeaving, new Int32Array(size));
    }
  }
}

function grown<Column extends Int32Array | Uint16Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
