import type { NodeIndex } from "../collections/node-index.ts";
import { NodeSet } from "../collections/node-set.ts";
import { type Newcomer, type Occupant, type PartDevice, type PartTenant, shareOf } from "../gpu/seat.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { GpuNo, JobNo, NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import { must } from "../model/must.ts";
import type { FleetNode, NodeFacts, OwnMode } from "../model/node.ts";
import { nodeKey } from "../model/node-key.ts";
import type { Sharing } from "../model/part.ts";
import type { PoolTerms } from "../model/pool.ts";
import { sharingOf } from "../model/sharing.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { type DomainRoom, DomainRooms, type Fits } from "./domain-room.ts";
import { FreeUnits } from "./free-units.ts";
import { GpuColumns, grown } from "./gpu-columns.ts";
import { type EngineHold, modeFor } from "./mode.ts";
import { NodeLists } from "./node-lists.ts";
import { Occupancy } from "./occupancy.ts";
import { Pools } from "./pools.ts";
import { SharedGpus } from "./shared-gpus.ts";
import { Topology } from "./topology.ts";

/**
 * All nodes and GPUs, with what is taken, leaving and held. Each change of a node ends in `#note`, which brings all
 * counts and indexes up to date; nothing else writes them.
 */
export class Fleet extends GpuColumns {
  readonly nodes: (FleetNode | undefined)[] = [];
  /** By `engine/name`: two engines may have nodes of one name. */
  readonly nodeByName = new Map<string, FleetNode>();
  /** Why engines take nothing new, by name. */
  readonly #holds = new Map<string, EngineHold>();
  /** By engine number: how many nodes it has. */
  readonly #nodesOf: number[] = [];
  /** What all nodes have, whatever their mode; shares are fractions of these. */
  readonly totals = { gpuUnits: 0, cpusMilli: 0, memoryMiB: 0 };
  /** Incremented when nodes come, go or change; invalidates results that depend on what an empty fleet has. */
  composition = 0;
  /** Incremented when GPUs of a model begin, or end, to be shared in a way. */
  kinds = 0;
  readonly #pools = new Pools();
  /** By node: what its pool says. */
  readonly #terms: (PoolTerms | undefined)[] = [];
  /** The nodes that changed last: change `n` is at `n` modulo the length. */
  readonly changes = { count: 0, recent: new Int32Array(4_096) };
  readonly #domainRooms = new DomainRooms(this);
  /** Wholly free GPUs of each node. */
  nodeFreeGpus = new Int32Array(16);
  /** GPUs of each node that hold work which a guarantee covers; a shared GPU counts once per covered part. */
  nodeCoveredGpus = new Int32Array(16);
  readonly #lists = new NodeLists();
  /** Nodes that take work and have GPUs of several models, or none. */
  readonly oddNodes = this.#lists.odd;
  /** The model of all GPUs of each node; -1 where there are several, or none. */
  readonly #soleModel: number[] = [];
  readonly #freeUnits = new FreeUnits();
  /** Nodes that take work and have leases that have been asked to stop. */
  readonly nodesBeingLeft = new NodeSet();
  /** The nodes of these on which a GPU that is held for no job will be free, or is and lacks cores or memory. */
  readonly nodesToHave = new NodeSet();
  /** Nodes with maintenance windows. */
  readonly maintained = new Set<NodeNo>();
  readonly topology = new Topology();
  readonly #leasesOn: Lease[][] = [];
  readonly #occupancy = new Occupancy();
  /** The occupants of shared GPUs, by GPU and lease. */
  readonly parts = this.#occupancy.byGpu;
  readonly partsChangedAt = this.#occupancy.changedAt;
  /** The same GPUs, grouped by what they have left and for which tenants. */
  readonly shared = new SharedGpus();

  /** The number of an engine, which is given to it on first use. */
  engineNo(name: string): number {
    const known = this.engines.indexOf(name);
    if (known >= 0) return known;
    this.kinds++;
    return this.engines.push(name) - 1;
  }

  /** The engines that have nodes. */
  enginesPresent(): string[] {
    return this.engines.filter((_, no) => (this.#nodesOf[no] ?? 0) > 0);
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
      sharing: sharingOf(facts, undefined),
      addedAt: at,
      own: { mode: "up", reason: "" },
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
    this.#growNodes(this.nodes.length);
    this.addGpus(no, this.engineNo(facts.engine), facts.gpus);
    this.#leasesOn.push([]);
    this.#soleModel.push(this.#findSoleModel(node));
    this.#count(node, 1);
    this.topology.add(no, facts);
    if (facts.withheld !== undefined) this.#withhold(node);
    this.#settleMode(node);
    this.#note(node);
  }

  changeNode(
    no: NodeNo,
    at: Instant,
    mode: OwnMode,
    reason: string,
    drainUntil: Instant,
    facts: NodeFacts | undefined,
  ): void {
    const node = this.node(no);
    node.own = { mode, reason };
    node.drainUntil = drainUntil;
    node.revision++;
    node.changedAt = at;
    if (facts !== undefined) this.#refresh(node, facts);
    this.#settleMode(node);
    this.#note(node);
  }

  /** All nodes of an engine take nothing new, or do again where nothing else keeps them from it. */
  holdEngine(engine: string, hold: EngineHold | undefined, at: Instant): void {
    if (hold === undefined) this.#holds.delete(engine);
    else this.#holds.set(engine, hold);
    for (const node of this.nodes) {
      if (node?.facts.engine !== engine || !this.#settleMode(node)) continue;
      node.revision++;
      node.changedAt = at;
      this.#note(node);
    }
  }

  /** Works out the mode of a node; returns whether that or its reason is another. */
  #settleMode(node: FleetNode): boolean {
    const { mode, reason } = modeFor(node.own, node.facts.condition, this.#holds.get(node.facts.engine));
    if (node.mode === mode && node.reason === reason) return false;
    node.mode = mode;
    node.reason = reason;
    return true;
  }

  #withhold({ firstGpu, facts }: FleetNode): void {
    const withheld = new Set(facts.withheld);
    for (const [i, { uuid }] of facts.gpus.entries()) this.withhold(firstGpu + i, withheld.has(uuid));
  }

  #refresh(node: FleetNode, facts: NodeFacts): void {
    if (facts.gpus.length !== node.facts.gpus.length)
      throw new Error(`node ${node.facts.name} has ${node.facts.gpus.length} GPUs, not ${facts.gpus.length}`);
    this.topology.remove(node.no, node.facts);
    this.topology.add(node.no, facts);
    this.#count(node, -1);
    node.freeCpusMilli += facts.cpusMilli - node.facts.cpusMilli;
    node.freeMemoryMiB += facts.memoryMiB - node.facts.memoryMiB;
    const withheld = node.facts.withheld ?? facts.withheld;
    node.facts = facts;
    node.sharing = sharingOf(facts, this.#terms[node.no]);
    this.#count(node, 1);
    if (withheld !== undefined) this.#withhold(node);
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + facts.gpus.length; gpu++) this.#regroup(gpu);
  }

  /** A node belongs to a pool with these terms from now on; undefined = to none. */
  share(no: NodeNo, terms: PoolTerms | undefined): void {
    if (this.#terms[no] === terms) return;
    this.#terms[no] = terms;
    const node = this.node(no);
    const sharing = sharingOf(node.facts, terms);
    if (sharing === node.sharing) return;
    this.#count(node, -1);
    node.sharing = sharing;
    this.#count(node, 1);
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) this.#regroup(gpu);
    this.#note(node);
  }

  removeNode(no: NodeNo): void {
    const node = this.node(no);
    if (node.leases > 0) throw new Error(`node ${node.facts.name} still holds ${node.leases} leases`);
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) this.removeGpu(gpu);
    node.mode = "down";
    this.#note(node);
    this.#count(node, -1);
    this.topology.remove(no, node.facts);
    this.nodes[no] = undefined;
    this.maintained.delete(no);
  }

  /** Keeps the numbering when a snapshot is read in which a node has left the fleet. */
  skipRemoved(gpus: number): void {
    const no = this.nodes.length;
    this.nodes.push(undefined);
    this.#leasesOn.push([]);
    this.#soleModel.push(-1);
    this.#growNodes(this.nodes.length);
    this.skipGpus(no, gpus);
  }

  /** Takes a seat. Throws rather than hold a GPU beyond its capacity [S1, S2]. */
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
      this.gpuFree[gpu] = free - unitsEach;
      this.gpuFreeMemory[gpu] = freeMemory - memory;
      if (part === undefined) continue;
      const occupant = { ...must(who, "a part is taken without its tenant"), ...part };
      this.#occupancy.add(gpu, lease.id, occupant, lease.placedAt);
      this.#regroup(gpu);
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
    const leases = this.#leasesOn[no]!;
    const at = leases.indexOf(lease);
    if (at < 0) throw new Error(`lease ${lease.id} is given back twice`);
    leases.splice(at, 1);
    for (const gpu of gpus) {
      this.gpuFree[gpu]! += unitsEach;
      this.gpuFreeMemory[gpu]! += part?.memory ?? unitsEach;
      if (this.gpuFree[gpu]! > this.gpuCapacity[gpu]!) throw new Error(`GPU ${gpu} is given back twice`);
      if (part === undefined) continue;
      this.#occupancy.delete(gpu, lease.id);
      this.#regroup(gpu);
    }
    node.freeCpusMilli += lease.cpusMilli;
    node.freeMemoryMiB += lease.memoryMiB;
    node.leases--;
    this.#note(node);
  }

  leasesOn(no: NodeNo): readonly Lease[] {
    return this.#leasesOn[no]!;
  }

  /** A lease is asked to stop (`sign` 1), or has stopped (-1). */
  countLeaving({ node: no, gpus, unitsEach, cpusMilli, memoryMiB }: Lease, sign: 1 | -1): void {
    const node = this.node(no);
    for (const gpu of gpus) this.gpuLeaving[gpu]! += sign * unitsEach;
    node.leavingCpusMilli += sign * cpusMilli;
    node.leavingMemoryMiB += sign * memoryMiB;
    this.#note(node);
  }

  /** Holds GPUs for a job, free or soon to be, and the cores and memory of its member on the node [T7]. */
  hold(no: NodeNo, gpus: readonly GpuNo[], job: JobNo, cpusMilli: number, memoryMiB: number): void {
    const node = this.node(no);
    for (const gpu of gpus) {
      // Members of one gang may hold parts of one GPU.
      if (this.gpuHeldFor[gpu] !== 0 && this.gpuHeldFor[gpu] !== job)
        throw new Error(`GPU ${gpu} is held for job ${this.gpuHeldFor[gpu]} already`);
      this.gpuHeldFor[gpu] = job;
    }
    node.freeCpusMilli -= cpusMilli;
    node.freeMemoryMiB -= memoryMiB;
    this.#note(node);
  }

  /** Ends a hold; the GPUs are free, or still with their victims. */
  unhold(no: NodeNo, gpus: readonly GpuNo[], cpusMilli: number, memoryMiB: number): void {
    const node = this.nodes[no];
    for (const gpu of gpus) this.release(gpu);
    if (node === undefined) return;
    node.freeCpusMilli += cpusMilli;
    node.freeMemoryMiB += memoryMiB;
    this.#note(node);
  }

  /** The occupants of a shared GPU. */
  occupants(gpu: number): Occupant[] {
    return this.#occupancy.of(gpu);
  }

  /** A tenant's sharing rules have changed, also for the parts that it holds. */
  neighboursChanged(tenant: PartTenant): void {
    for (const gpu of this.#occupancy.changeTenant(tenant)) {
      this.#regroup(gpu);
      this.#note(this.node(this.gpuNode[gpu]! as NodeNo));
    }
  }

  /** A GPU as the rules of parts see it. */
  device(gpu: number): PartDevice {
    return this.deviceIn(this.nodes[this.gpuNode[gpu]!]?.sharing ?? sharingOf({}, undefined), gpu);
  }

  #regroup(gpu: number): void {
    this.shared.regroup(gpu, this.gpuModel[gpu]!, this.gpuFree[gpu]!, this.device(gpu), this.occupants(gpu));
  }

  /** Free units of the models of a name, held for no job, on nodes that take work. */
  freeUnitsUp(name = "*"): number {
    return name === "*" ? this.#freeUnits.open : this.#freeOf(name, false);
  }

  /** The same, once all leases that have been asked to stop have stopped. */
  freeUnitsOnceLeft(name = "*"): number {
    return name === "*" ? this.#freeUnits.open + this.#freeUnits.leaving : this.#freeOf(name, true);
  }

  #freeOf(name: string, onceLeft: boolean): number {
    let units = 0;
    for (const [model, text] of this.models.entries())
      if (modelMatches(name, text)) units += this.#freeUnits.of(model, onceLeft);
    for (let no = this.oddNodes.next(0); no >= 0; no = this.oddNodes.next(no + 1)) {
      const { firstGpu, facts } = this.nodes[no]!;
      for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
        if (this.gpuHeldFor[gpu] !== 0 || !this.isOf(gpu, name)) continue;
        units += this.gpuFree[gpu]! + (onceLeft ? this.gpuLeaving[gpu]! : 0);
      }
    }
    return units;
  }

  /** Nodes that take work, whose GPUs are all of this model and of which exactly `free` are free. */
  nodesWith(model: number, free: number): NodeIndex | undefined {
    return this.#lists.with(model, free);
  }

  /** The most GPUs of one model that any node has had. */
  freeMax(model: number): number {
    return this.#lists.freeMax(model);
  }

  /** The model of all its GPUs; -1 where there are several, or none. */
  soleModel(node: FleetNode): number {
    return this.#soleModel[node.no]!;
  }

  /** Whether a node of the fleet has GPUs of a model; the numbers of models that are gone stay. */
  hasModel(model: number): boolean {
    return this.#pools.has(model);
  }

  /** The names of the models that nodes of the fleet have, in order of appearance. */
  modelsPresent(): string[] {
    return [...new Set(this.models.filter((_, no) => this.hasModel(no)))];
  }

  /** The ways in which GPUs of a model are shared. */
  sharingsOf(model: number): Iterable<Sharing> {
    return this.#pools.of(model);
  }

  /** Whether some GPUs of a model are shared by tenants of some trust only. */
  hasTrust(model: number): boolean {
    for (const { trust } of this.#pools.of(model)) if (trust !== undefined) return true;
    return false;
  }

  /** The least compute that a part may take of a GPU of a model, whatever its pool. */
  leastOf(units: number, model: number): number {
    const ratio = this.#pools.ratioMax(model);
    return ratio === 1 ? units : shareOf(units, ratio);
  }

  /** The room of all domains for members with the same need; `fits` may depend only on `need` and the node. */
  domainRoomFor(need: string, fits: Fits): DomainRoom {
    return this.#domainRooms.for(need, fits);
  }

  /** Invalidates results that were derived from the nodes of these leases. */
  touch(leases: readonly Pick<Lease, "node">[]): void {
    for (const { node } of leases) this.#change(node);
  }

  #change(no: number): void {
    this.changes.recent[this.changes.count++ % this.changes.recent.length] = no;
  }

  #findSoleModel({ firstGpu, facts }: FleetNode): number {
    if (facts.gpus.length === 0) return -1;
    const model = this.gpuModel[firstGpu]!;
    for (let gpu = firstGpu + 1; gpu < firstGpu + facts.gpus.length; gpu++) if (this.gpuModel[gpu] !== model) return -1;
    return model;
  }

  /** Brings all counts and indexes of a node up to date; called after every change of it. */
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
    const model = this.#soleModel[no]!;
    this.nodeFreeGpus[no] = free;
    this.#freeUnits.set(no, model, open, leaving);
    const beingLeft = up && (node.leavingCpusMilli > 0 || node.leavingMemoryMiB > 0);
    if (leaving > 0 || beingLeft) this.nodesBeingLeft.add(no);
    else this.nodesBeingLeft.delete(no);
    if (leaving > 0 || (beingLeft && free > 0)) this.nodesToHave.add(no);
    else this.nodesToHave.delete(no);
    this.#lists.enter(node, model, free);
    this.#change(no);
  }

  /** Counts a node in (`sign` 1) or out (-1). */
  #count(node: FleetNode, sign: 1 | -1): void {
    const { facts, firstGpu } = node;
    this.composition++;
    if (sign === 1) this.nodeByName.set(nodeKey(facts), node);
    else this.nodeByName.delete(nodeKey(facts));
    const engine = this.engineNo(facts.engine);
    this.#nodesOf[engine] = (this.#nodesOf[engine] ?? 0) + sign;
    for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++)
      if (this.#pools.count(this.gpuModel[gpu]!, node.sharing, sign)) this.kinds++;
    this.totals.gpuUnits += sign * facts.gpus.length * unitsPerGpu;
    this.totals.cpusMilli += sign * facts.cpusMilli;
    this.totals.memoryMiB += sign * facts.memoryMiB;
  }

  #growNodes(nodes: number): void {
    this.#freeUnits.grow(nodes);
    if (nodes <= this.nodeFreeGpus.length) return;
    const size = Math.max(nodes, this.nodeFreeGpus.length * 2);
    this.nodeFreeGpus = grown(this.nodeFreeGpus, new Int32Array(size));
    this.nodeCoveredGpus = grown(this.nodeCoveredGpus, new Int32Array(size));
  }
}
