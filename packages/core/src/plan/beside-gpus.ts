import type { NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode } from "../model/node.ts";

/** What a member needs besides GPUs. */
interface Need {
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

const plenty = Number.POSITIVE_INFINITY;

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

  /** What a node will have beside those who will have started there; of what is not asked for, everything. */
  left({ no, freeCpusMilli, freeMemoryMiB }: FleetNode, started: Iterable<Need>): Need {
    const left = {
      cpusMilli: this.#need.cpusMilli === 0 ? plenty : freeCpusMilli + (this.#cpusMilli.get(no) ?? 0),
      memoryMiB: this.#need.memoryMiB === 0 ? plenty : freeMemoryMiB + (this.#memoryMiB.get(no) ?? 0),
    };
    for (const each of started) {
      left.cpusMilli -= each.cpusMilli;
      left.memoryMiB -= each.memoryMiB;
    }
    return left;
  }
}
