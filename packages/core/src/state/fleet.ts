import type { GpuNo, JobNo, NodeNo } from "../model/ids.ts";
import type { FleetNode, NodeFacts, NodeMode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";

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
  gpus = 0;
  gpuNode = new Int32Array(64);
  gpuModel = new Uint16Array(64);
  gpuMemoryMiB = new Int32Array(64);
  gpuCapacity = new Int32Array(64);
  gpuFree = new Int32Array(64);
  /** The job for which a GPU is being kept free; 0 = none. */
  gpuHeldFor = new Int32Array(64);
  readonly gpuUuid: string[] = [];
  /** Wholly free GPUs of each node. */
  nodeFreeGpus = new Int32Array(16);

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
      this.gpuUuid.push(gpu.uuid);
    }
    this.nodeFreeGpus[no] = facts.gpus.length;
    this.#count(facts, 1);
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
    if (facts === undefined) return;
    this.#count(node.facts, -1);
    this.#count(facts, 1);
    node.freeCpusMilli += facts.cpusMilli - node.facts.cpusMilli;
    node.freeMemoryMiB += facts.memoryMiB - node.facts.memoryMiB;
    node.facts = facts;
  }

  removeNode(no: NodeNo): void {
    const node = this.node(no);
    if (node.leases > 0) throw new Error(`node ${node.facts.name} still holds ${node.leases} leases`);
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
      this.gpuCapacity[gpu] = 0;
      this.gpuFree[gpu] = 0;
    }
    this.nodeFreeGpus[no] = 0;
    this.#count(node.facts, -1);
    this.nodes[no] = undefined;
    this.nodeByName.delete(node.facts.name);
  }

  /** Takes a seat. Fails rather than hold a device beyond its capacity (S1, S2). */
  take(no: NodeNo, gpus: readonly GpuNo[], unitsEach: number, cpusMilli: number, memoryMiB: number): void {
    const node = this.node(no);
    for (const gpu of gpus) {
      const free = this.gpuFree[gpu] as number;
      if (this.gpuNode[gpu] !== no || free < unitsEach)
        throw new Error(`GPU ${gpu} has ${free} units, not ${unitsEach}`);
      if (this.isFree(gpu)) this.nodeFreeGpus[no]!--;
      this.gpuFree[gpu] = free - unitsEach;
    }
    node.freeCpusMilli -= cpusMilli;
    node.freeMemoryMiB -= memoryMiB;
    node.leases++;
  }

  /** Gives a seat back. */
  give(no: NodeNo, gpus: readonly GpuNo[], unitsEach: number, cpusMilli: number, memoryMiB: number): void {
    const node = this.node(no);
    for (const gpu of gpus) {
      const free = (this.gpuFree[gpu] as number) + unitsEach;
      if (free > (this.gpuCapacity[gpu] as number)) throw new Error(`GPU ${gpu} is given back twice`);
      this.gpuFree[gpu] = free;
      if (this.isFree(gpu)) this.nodeFreeGpus[no]!++;
    }
    node.freeCpusMilli += cpusMilli;
    node.freeMemoryMiB += memoryMiB;
    node.leases--;
  }

  /** Wholly free and kept for nobody. */
  isFree(gpu: number): boolean {
    return this.gpuFree[gpu] === unitsPerGpu && this.gpuHeldFor[gpu] === 0;
  }

  /** Keeps GPUs for a job, those that are free now and those that will be; and its cores and memory on the node. */
  hold(no: NodeNo, gpus: readonly GpuNo[], job: JobNo, cpusMilli: number, memoryMiB: number): void {
    const node = this.node(no);
    for (const gpu of gpus) {
      if (this.gpuHeldFor[gpu] !== 0) throw new Error(`GPU ${gpu} is kept for job ${this.gpuHeldFor[gpu]} already`);
      if (this.isFree(gpu)) this.nodeFreeGpus[no]!--;
      this.gpuHeldFor[gpu] = job;
    }
    node.freeCpusMilli -= cpusMilli;
    node.freeMemoryMiB -= memoryMiB;
  }

  /** Ends a hold; the GPUs are free or still with those who are leaving. */
  unhold(no: NodeNo, gpus: readonly GpuNo[], cpusMilli: number, memoryMiB: number): void {
    const node = this.nodes[no];
    for (const gpu of gpus) {
      this.gpuHeldFor[gpu] = 0;
      if (this.isFree(gpu)) this.nodeFreeGpus[no]!++;
    }
    if (node === undefined) return;
    node.freeCpusMilli += cpusMilli;
    node.freeMemoryMiB += memoryMiB;
  }

  /** Keeps the numbering when a fleet is read from a snapshot in which a node has already left. */
  skipRemoved(gpus: number): void {
    const no = this.nodes.length;
    this.nodes.push(undefined);
    this.#grow(this.gpus + gpus, this.nodes.length);
    for (let i = 0; i < gpus; i++) {
      this.gpuNode[this.gpus] = no;
      this.gpuUuid.push("");
      this.gpus++;
    }
  }

  #count(facts: NodeFacts, sign: 1 | -1): void {
    this.totals.gpuUnits += sign * facts.gpus.length * unitsPerGpu;
    this.totals.cpusMilli += sign * facts.cpusMilli;
    this.totals.memoryMiB += sign * facts.memoryMiB;
  }

  #grow(gpus: number, nodes: number): void {
    if (gpus > this.gpuNode.length) {
      const size = Math.max(gpus, this.gpuNode.length * 2);
      this.gpuNode = grown(this.gpuNode, new Int32Array(size));
      this.gpuModel = grown(this.gpuModel, new Uint16Array(size));
      this.gpuMemoryMiB = grown(this.gpuMemoryMiB, new Int32Array(size));
      this.gpuCapacity = grown(this.gpuCapacity, new Int32Array(size));
      this.gpuFree = grown(this.gpuFree, new Int32Array(size));
      this.gpuHeldFor = grown(this.gpuHeldFor, new Int32Array(size));
    }
    if (nodes > this.nodeFreeGpus.length) {
      this.nodeFreeGpus = grown(this.nodeFreeGpus, new Int32Array(Math.max(nodes, this.nodeFreeGpus.length * 2)));
    }
  }
}

function grown<Column extends Int32Array | Uint16Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
