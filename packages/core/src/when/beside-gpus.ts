import type { NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode } from "../model/node.ts";

/** What a member needs besides GPUs. */
interface Need {
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** Cores and memory that nodes will have free at a moment to come: what they have, and what is over by then [B1]. */
export class BesideGpus {
  readonly #need: Need;
  readonly #cpusMilli = new Map<NodeNo, number>();
  readonly #memoryMiB = new Map<NodeNo, number>();

  constructor(need: Need) {
    this.#need = need;
  }

  /** Whether it matters at all. */
  get counts(): boolean {
    return this.#need.cpusMilli > 0 || this.#need.memoryMiB > 0;
  }

  /** A lease is over by then. */
  end({ node, cpusMilli, memoryMiB }: Lease): void {
    this.#cpusMilli.set(node, (this.#cpusMilli.get(node) ?? 0) + cpusMilli);
    this.#memoryMiB.set(node, (this.#memoryMiB.get(node) ?? 0) + memoryMiB);
  }

  /** How many members a node has cores and memory for, beside those who will have started there. */
  fits({ no, freeCpusMilli, freeMemoryMiB }: FleetNode, started: Iterable<Need>): number {
    const { cpusMilli, memoryMiB } = this.#need;
    let cpus = freeCpusMilli + (this.#cpusMilli.get(no) ?? 0);
    let memory = freeMemoryMiB + (this.#memoryMiB.get(no) ?? 0);
    for (const each of started) {
      cpus -= each.cpusMilli;
      memory -= each.memoryMiB;
    }
    const byCpus = cpusMilli === 0 ? Number.POSITIVE_INFINITY : Math.floor(cpus / cpusMilli);
    const byMemory = memoryMiB === 0 ? Number.POSITIVE_INFINITY : Math.floor(memory / memoryMiB);
    return Math.max(0, Math.min(byCpus, byMemory));
  }
}
