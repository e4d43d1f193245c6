import type { NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode } from "../model/node.ts";

interface Amount {
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

const plenty = Number.POSITIVE_INFINITY;

/** Cores and memory that nodes will have free at a later instant: what is free now, and what ended leases give back [B1]. */
export class FutureCoresAndMemory {
  readonly #need: Amount;
  readonly #cpusMilli = new Map<NodeNo, number>();
  readonly #memoryMiB = new Map<NodeNo, number>();

  /** For a job of which one member has this `need`. */
  constructor(need: Amount) {
    this.#need = need;
  }

  /** Whether the job needs any; else they are not counted. */
  get isNeeded(): boolean {
    return this.#need.cpusMilli > 0 || this.#need.memoryMiB > 0;
  }

  /** A lease has ended by then. */
  end({ node, cpusMilli, memoryMiB }: Lease): void {
    this.#cpusMilli.set(node, (this.#cpusMilli.get(node) ?? 0) + cpusMilli);
    this.#memoryMiB.set(node, (this.#memoryMiB.get(node) ?? 0) + memoryMiB);
  }

  /** What a node will have free beside the planned starts there; infinite where the job needs none. */
  left({ no, freeCpusMilli, freeMemoryMiB }: FleetNode, planned: Iterable<Amount>): Amount {
    const left = {
      cpusMilli: this.#need.cpusMilli === 0 ? plenty : freeCpusMilli + (this.#cpusMilli.get(no) ?? 0),
      memoryMiB: this.#need.memoryMiB === 0 ? plenty : freeMemoryMiB + (this.#memoryMiB.get(no) ?? 0),
    };
    for (const each of planned) {
      left.cpusMilli -= each.cpusMilli;
      left.memoryMiB -= each.memoryMiB;
    }
    return left;
  }
}
