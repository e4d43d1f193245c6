import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { FleetNode } from "../model/node.ts";
import type { Going } from "../place/dedicated.ts";
import type { MemberNeed } from "../place/seats.ts";
import type { Fleet } from "../state/fleet.ts";
import type { Victim } from "./victim.ts";

/**
 * GPUs, cores and memory that one node offers a claim: what is free, what those leave who have been told to for nobody
 * in particular, and what each victim would leave behind.
 */
export class Site {
  readonly node: FleetNode;
  readonly #fleet: Fleet;
  readonly #need: MemberNeed;
  readonly #free: number;
  /** Members that the plan puts here. */
  members = 0;

  constructor(fleet: Fleet, node: FleetNode, need: MemberNeed) {
    this.#fleet = fleet;
    this.node = node;
    this.#need = need;
    this.#free = this.#count((gpu) => this.#becomesFree(gpu, 0));
  }

  /** How many members fit if these victims leave. */
  fits(leaving: Iterable<Victim>): number {
    const { node } = this;
    const need = this.#need;
    const victims = [...leaving];
    if (need.mayUse !== undefined && !need.mayUse(node, goingOf(victims))) return 0;
    let cpusMilli = node.freeCpusMilli + node.leavingCpusMilli;
    let memoryMiB = node.freeMemoryMiB + node.leavingMemoryMiB;
    const left = new Map<number, number>();
    for (const victim of victims) {
      for (const lease of victim.leases) {
        if (lease.node !== node.no) continue;
        for (const gpu of lease.gpus) left.set(gpu, (left.get(gpu) ?? 0) + lease.unitsEach);
        cpusMilli += lease.cpusMilli;
        memoryMiB += lease.memoryMiB;
      }
    }
    let gpus = this.#free;
    for (const [gpu, units] of left) if (!this.#becomesFree(gpu, 0) && this.#becomesFree(gpu, units)) gpus++;
    let fit = Number.POSITIVE_INFINITY;
    if (need.gpus > 0) fit = Math.floor(gpus / need.gpus);
    if (need.cpusMilli > 0) fit = Math.min(fit, Math.floor(cpusMilli / need.cpusMilli));
    if (need.memoryMiB > 0) fit = Math.min(fit, Math.floor(memoryMiB / need.memoryMiB));
    return Math.max(0, fit);
  }

  /** GPUs for `members` members: free ones first, then those being left, then the victims', each by number. */
  seats(victims: Iterable<Victim>): { node: NodeNo; gpus: GpuNo[] }[] {
    const usable: GpuNo[] = [];
    this.#count((gpu) => this.#fleet.isFree(gpu) && usable.push(gpu as GpuNo) > 0);
    this.#count((gpu) => !this.#fleet.isFree(gpu) && this.#becomesFree(gpu, 0) && usable.push(gpu as GpuNo) > 0);
    const left = new Map<GpuNo, number>();
    for (const victim of victims) {
      for (const lease of victim.leases) {
        if (lease.node === this.node.no)
          for (const gpu of lease.gpus) left.set(gpu, (left.get(gpu) ?? 0) + lease.unitsEach);
      }
    }
    const later = [...left.keys()].filter(
      (gpu) => !this.#becomesFree(gpu, 0) && this.#becomesFree(gpu, left.get(gpu)!),
    );
    usable.push(...later.sort((a, b) => a - b));
    const { gpus } = this.#need;
    return Array.from({ length: this.members }, (_, i) => ({
      node: this.node.no,
      gpus: usable.slice(i * gpus, (i + 1) * gpus),
    }));
  }

  /** Free once `units` of it are given back: whoever else holds a part of it keeps it in use. */
  #becomesFree(gpu: number, units: number): boolean {
    const { gpuFree, gpuLeaving, gpuCapacity } = this.#fleet;
    const whole = gpuFree[gpu]! + gpuLeaving[gpu]! + units === gpuCapacity[gpu];
    return whole && this.#fleet.gpuHeldFor[gpu] === 0 && this.#serves(gpu);
  }

  #serves(gpu: number): boolean {
    return this.#fleet.gpuModel[gpu] === this.#need.model && this.#fleet.gpuMemoryMiB[gpu]! >= this.#need.gpuMemoryMiB;
  }

  #count(wanted: (gpu: number) => boolean): number {
    let count = 0;
    const end = this.node.firstGpu + this.node.facts.gpus.length;
    for (let gpu = this.node.firstGpu as number; gpu < end; gpu++) if (this.#serves(gpu) && wanted(gpu)) count++;
    return count;
  }
}

function* goingOf(victims: Iterable<Victim>): Generator<Going> {
  for (const { job, leases } of victims) for (const { node } of leases) yield { account: job.account, node };
}
