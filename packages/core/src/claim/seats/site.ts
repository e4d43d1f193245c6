import { type Going, isInEngine, type MemberNeed } from "../../fleet/fit.ts";
import type { ReadonlyFleet } from "../../fleet/readonly-fleet.ts";
import type { Seat } from "../../journal/event.ts";
import type { GpuNo } from "../../model/ids.ts";
import type { Lease } from "../../model/lease.ts";
import type { FleetNode } from "../../model/node.ts";
import type { Victim } from "../draft/victim.ts";
import { type PartNeed, partSeats } from "./part-seats.ts";

/** What one member of a claimant needs; for a part of a GPU also how the GPU is to be partitioned. */
export interface ClaimNeed extends MemberNeed {
  readonly part?: PartNeed | undefined;
}

/**
 * GPUs, cores and memory that one node offers a claim: the free ones, those of stopping work that are held for no other
 * claimant, and those that victims would leave.
 */
export class Site {
  readonly node: FleetNode;
  readonly #fleet: ReadonlyFleet;
  readonly #need: ClaimNeed;
  /** GPUs that are free, or will be without an eviction. */
  readonly free: number;
  /** Members that are to be seated here. */
  members = 0;

  constructor(fleet: ReadonlyFleet, node: FleetNode, need: ClaimNeed) {
    this.#fleet = fleet;
    this.node = node;
    this.#need = need;
    this.free = this.#countFree();
  }

  /** How many GPUs of a lease could serve the claimant. */
  served({ gpus }: Lease): number {
    let count = 0;
    for (const gpu of gpus) if (this.#fleet.gpuHeldFor[gpu] === 0 && this.#serves(gpu)) count++;
    return count;
  }

  /** How many members fit if these victims leave. */
  fits(leaving: readonly Victim[]): number {
    const { node } = this;
    const need = this.#need;
    if (!isInEngine(this.#fleet, node, need)) return 0;
    if (need.among !== undefined && !need.among.has(node)) return 0;
    if (need.mayUse !== undefined && !need.mayUse(node, goingOf(leaving))) return 0;
    let cpusMilli = node.freeCpusMilli + node.leavingCpusMilli;
    let memoryMiB = node.freeMemoryMiB + node.leavingMemoryMiB;
    let gpus = this.free;
    for (const { leases } of leaving) {
      for (const lease of leases) {
        if (lease.node !== node.no) continue;
        if (need.part === undefined) for (const gpu of lease.gpus) if (this.#isEmptied(gpu, lease, leaving)) gpus++;
        cpusMilli += lease.cpusMilli;
        memoryMiB += lease.memoryMiB;
      }
    }
    let fit = Number.POSITIVE_INFINITY;
    if (need.part !== undefined) fit = partSeats(this.#fleet, node, need.model, need.part, leaving).length;
    else if (need.gpus > 0) fit = Math.floor(gpus / need.gpus);
    if (need.cpusMilli > 0) fit = Math.min(fit, Math.floor(cpusMilli / need.cpusMilli));
    if (need.memoryMiB > 0) fit = Math.min(fit, Math.floor(memoryMiB / need.memoryMiB));
    return Math.max(0, fit);
  }

  /** Whether the victims empty a GPU; true only for the first of their leases on it, so that it counts once. */
  #isEmptied(gpu: number, first: Lease, leaving: readonly Victim[]): boolean {
    if (first.part === undefined) return !this.#becomesFree(gpu, 0) && this.#becomesFree(gpu, first.unitsEach);
    let units = 0;
    for (const { leases } of leaving) {
      for (const lease of leases) {
        if (!lease.gpus.includes(gpu as GpuNo)) continue;
        if (units === 0 && lease !== first) return false;
        units += lease.unitsEach;
      }
    }
    return !this.#becomesFree(gpu, 0) && this.#becomesFree(gpu, units);
  }

  /** GPUs for `members` members: free ones first, then those of stopping work, then the victims', each by number. */
  seats(victims: Iterable<Victim>): Seat[] {
    if (this.members === 0) return [];
    const { model, part } = this.#need;
    if (part !== undefined) return partSeats(this.#fleet, this.node, model, part, victims).slice(0, this.members);
    const usable: GpuNo[] = [];
    const beingLeft: GpuNo[] = [];
    const end = this.node.firstGpu + this.node.facts.gpus.length;
    for (let gpu = this.node.firstGpu; gpu < end; gpu++) {
      if (this.#fleet.isFree(gpu)) {
        if (this.#serves(gpu)) usable.push(gpu);
      } else if (this.#becomesFree(gpu, 0)) beingLeft.push(gpu);
    }
    usable.push(...beingLeft);
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

  /** Free once `units` of it are given back: any other part on it keeps it in use. */
  #becomesFree(gpu: number, units: number): boolean {
    const { gpuFree, gpuLeaving, gpuCapacity } = this.#fleet;
    const whole = gpuFree[gpu]! + gpuLeaving[gpu]! + units === gpuCapacity[gpu];
    return whole && this.#fleet.gpuHeldFor[gpu] === 0 && this.#serves(gpu);
  }

  #serves(gpu: number): boolean {
    return this.#fleet.gpuModel[gpu] === this.#need.model && this.#fleet.gpuMemoryMiB[gpu]! >= this.#need.gpuMemoryMiB;
  }

  #countFree(): number {
    let count = 0;
    const end = this.node.firstGpu + this.node.facts.gpus.length;
    for (let gpu = this.node.firstGpu as number; gpu < end; gpu++) if (this.#becomesFree(gpu, 0)) count++;
    return count;
  }
}

function* goingOf(victims: Iterable<Victim>): Generator<Going> {
  for (const { job, leases } of victims) for (const { node } of leases) yield { account: job.account, node };
}
