import type { Seat } from "../journal/event.ts";
import type { GpuNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import type { Fleet } from "../state/fleet.ts";

/** What one member needs of a node. */
export interface MemberNeed {
  /** Model number; -1 for a member without GPUs. */
  readonly model: number;
  readonly gpus: number;
  readonly gpuMemoryMiB: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

export function needOf(spec: JobSpec, choice: number, model: number): MemberNeed {
  const { cpusMilli, memoryMiB, gpuMemoryMiB } = spec;
  return { model, gpus: spec.gpus[choice]!.count, gpuMemoryMiB, cpusMilli, memoryMiB };
}

/** Which nodes may be used, and whether what they hold counts: to place, to explain, or to tell what can never fit. */
export type View = "now" | "every-node-now" | "every-node-empty";

/** How many members of this need fit on a node, at most `most`. */
export function membersThatFit(fleet: Fleet, node: FleetNode, need: MemberNeed, view: View, most: number): number {
  if (view === "now" && node.mode !== "up") return 0;
  const empty = view === "every-node-empty";
  let fit = most;
  if (need.gpus > 0) fit = Math.min(fit, Math.floor(gpusThatFit(fleet, node, need, empty) / need.gpus));
  if (need.cpusMilli > 0)
    fit = Math.min(fit, Math.floor((empty ? node.facts.cpusMilli : node.freeCpusMilli) / need.cpusMilli));
  if (need.memoryMiB > 0)
    fit = Math.min(fit, Math.floor((empty ? node.facts.memoryMiB : node.freeMemoryMiB) / need.memoryMiB));
  return Math.max(0, fit);
}

export function gpusThatFit(fleet: Fleet, node: FleetNode, need: MemberNeed, empty: boolean): number {
  if (!empty && fleet.nodeFreeGpus[node.no] === 0) return 0;
  let count = 0;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++) if (gpuServes(fleet, gpu, need, empty)) count++;
  return count;
}

function gpuServes(fleet: Fleet, gpu: number, need: MemberNeed, empty: boolean): boolean {
  const free = empty ? fleet.gpuCapacity[gpu] === unitsPerGpu : fleet.isFree(gpu);
  return free && fleet.gpuModel[gpu] === need.model && fleet.gpuMemoryMiB[gpu]! >= need.gpuMemoryMiB;
}

/** Seats for all members or none, on as few nodes as will do. */
export function findSeats(fleet: Fleet, need: MemberNeed, members: number, apart: boolean): Seat[] | undefined {
  const perNode = apart ? 1 : members;
  const candidates: { node: FleetNode; fit: number; free: number }[] = [];
  let total = 0;
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const fit = membersThatFit(fleet, node, need, "now", perNode);
    if (fit === 0) continue;
    candidates.push({ node, fit, free: fleet.nodeFreeGpus[node.no]! });
    total += fit;
  }
  if (total < members) return undefined;
  // Nodes that hold most of the gang first, and among equals the fullest: what stays free stays in one piece.
  candidates.sort((a, b) => b.fit - a.fit || a.free - b.free || a.node.no - b.node.no);
  const seats: Seat[] = [];
  for (const { node, fit } of candidates) {
    let from = node.firstGpu as number;
    for (let i = 0; i < fit && seats.length < members; i++) {
      const gpus: GpuNo[] = [];
      for (; gpus.length < need.gpus; from++) if (gpuServes(fleet, from, need, false)) gpus.push(from as GpuNo);
      seats.push({ node: node.no, gpus });
    }
    if (seats.length === members) return seats;
  }
  throw new Error("counted more room than there is");
}
