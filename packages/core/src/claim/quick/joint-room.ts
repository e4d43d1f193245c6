import type { ReadonlyFleet } from "../../fleet/readonly-fleet.ts";
import type { NodeNo } from "../../model/ids.ts";
import type { FleetNode } from "../../model/node.ts";
import { unitsPerGpu } from "../../model/units.ts";
import type { Victim } from "../draft/victim.ts";
import type { ClaimNeed } from "../seats/site.ts";

/** Nodes that are kept on which several victims might make room together. */
const nodesMax = 16;

/** A first check of the room that victims leave, alone or together with others on the same GPU or node. */
export class JointRoom {
  readonly #fleet: ReadonlyFleet;
  readonly #need: ClaimNeed;
  /** GPU units that are needed on one GPU. */
  readonly #wanted: number;
  // What GPUs and nodes would have free without the victims that were added.
  readonly #units = new Map<number, number>();
  readonly #cpus = new Map<FleetNode, number>();
  readonly #memory = new Map<FleetNode, number>();
  /** The first nodes on which several of the added victims might make room together. */
  readonly nodes = new Set<NodeNo>();

  constructor(fleet: ReadonlyFleet, need: ClaimNeed) {
    this.#fleet = fleet;
    this.#need = need;
    this.#wanted = need.part === undefined ? unitsPerGpu : fleet.leastOf(need.part.ask.compute, need.model);
  }

  /** Whether a victim might make room alone; false = for certain it does not. */
  mayMakeRoom({ leases }: Victim): boolean {
    const [lease] = leases;
    if (lease === undefined || leases.length > 1) return leases.length > 1;
    const fleet = this.#fleet;
    const { gpus, cpusMilli, memoryMiB } = this.#need;
    const node = fleet.node(lease.node);
    const freeCpus = node.freeCpusMilli + node.leavingCpusMilli;
    const freeMemory = node.freeMemoryMiB + node.leavingMemoryMiB;
    if (freeCpus + lease.cpusMilli < cpusMilli || freeMemory + lease.memoryMiB < memoryMiB) return false;
    // Where cores or memory are missing, any GPU of the node may serve.
    if (gpus === 0 || freeCpus < cpusMilli || freeMemory < memoryMiB) return true;
    return lease.gpus.some((gpu) => fleet.gpuFree[gpu]! + fleet.gpuLeaving[gpu]! + lease.unitsEach >= this.#wanted);
  }

  /** Adds a victim that makes no room alone: with parts of the same GPU, or cores of the same node, it may. */
  add({ leases }: Victim): void {
    if (this.nodes.size >= nodesMax) return;
    const fleet = this.#fleet;
    const { gpus, cpusMilli, memoryMiB } = this.#need;
    for (const lease of leases) {
      const node = fleet.node(lease.node);
      if (node.mode !== "up") continue;
      const cpus = (this.#cpus.get(node) ?? node.freeCpusMilli + node.leavingCpusMilli) + lease.cpusMilli;
      const memory = (this.#memory.get(node) ?? node.freeMemoryMiB + node.leavingMemoryMiB) + lease.memoryMiB;
      this.#cpus.set(node, cpus);
      this.#memory.set(node, memory);
      let most = gpus === 0 || node.freeCpusMilli < cpusMilli || node.freeMemoryMiB < memoryMiB ? this.#wanted : 0;
      for (const gpu of lease.gpus) {
        const units = (this.#units.get(gpu) ?? fleet.gpuFree[gpu]! + fleet.gpuLeaving[gpu]!) + lease.unitsEach;
        this.#units.set(gpu, units);
        most = Math.max(most, units);
      }
      if (most >= this.#wanted && cpus >= cpusMilli && memory >= memoryMiB) this.nodes.add(lease.node);
    }
  }
}
