import type { AccountNo, GpuNo, NodeNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { PartSeat } from "../model/part.ts";
import { unitsPerGpu } from "../model/units.ts";
import type { DomainRoom } from "./domain-room.ts";
import type { Fleet } from "./fleet.ts";
/** What one member needs of a node. */
export interface MemberNeed {
  /** Model number; -1 for a member without GPUs. */
  readonly model: number;
  readonly gpus: number;
  readonly gpuMemoryMiB: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** Where tenants are kept apart by nodes. */
  readonly mayUse?: MayUse | undefined;
  /** Devices that can be had as they are; others only after a scrub (S4). */
  readonly isClean?: ((gpu: number) => boolean) | undefined;
  /** Whether it would be burst; undefined where that makes no difference. */
  readonly burst?: boolean | undefined;
}

export function needOf(spec: JobSpec, choice: number, model: number, burst?: boolean): MemberNeed {
  const { cpusMilli, memoryMiB, gpuMemoryMiB } = spec;
  return { model, gpus: spec.gpus[choice]!.count, gpuMemoryMiB, cpusMilli, memoryMiB, burst };
}

/** Which nodes may be used, and whether what they hold counts: to place, to explain, or to tell what can never fit. */
export type View = "now" | "every-node-now" | "every-node-empty";

/** What may be taken where others have plans. */
export interface BesidePlans {
  /** How many of some members may be put on a node. */
  readonly mayTake: (node: FleetNode, need: MemberAsk, members: number) => number;
  /** Whether a part of a GPU may be had. */
  readonly mayJoin: (node: FleetNode, gpu: GpuNo, part: PartSeat) => boolean;
}

/** How many members of this need fit on a node, at most `most`. */
export function membersThatFit(
  fleet: Fleet,
  node: FleetNode,
  need: MemberNeed,
  view: View,
  most: number,
  plans?: BesidePlans,
): number {
  if (view === "now" && node.mode !== "up") return 0;
  const empty = view === "every-node-empty";
  if (!empty && need.mayUse !== undefined && !need.mayUse(node)) return 0;
  let fit = most;
  if (need.gpus > 0) {
    const free = gpusThatFit(fleet, node, need, empty);
    fit = Math.min(fit, Math.floor(free / need.gpus));
  }
  if (need.cpusMilli > 0)
    fit = Math.min(fit, Math.floor((empty ? node.facts.cpusMilli : node.freeCpusMilli) / need.cpusMilli));
  if (need.memoryMiB > 0)
    fit = Math.min(fit, Math.floor((empty ? node.facts.memoryMiB : node.freeMemoryMiB) / need.memoryMiB));
  if (fit <= 0) return 0;
  return plans === undefined ? fit : plans.mayTake(node, need, fit);
}

export function gpusThatFit(fleet: Fleet, node: FleetNode, need: MemberNeed, empty: boolean): number {
  if (!empty && fleet.nodeFreeGpus[node.no] === 0) return 0;
  // Where all GPUs are of the one model they are counted already.
  if (need.gpuMemoryMiB === 0 && fleet.soleModel(node) === need.model)
    return empty ? node.facts.gpus.length : fleet.nodeFreeGpus[node.no]!;
  let count = 0;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++) if (gpuServes(fleet, gpu, need, empty)) count++;
  return count;
}

export function gpuServes(fleet: Fleet, gpu: number, need: MemberNeed, empty: boolean): boolean {
  const free = empty ? fleet.gpuCapacity[gpu] === unitsPerGpu : fleet.isFree(gpu);
  return free && fleet.gpuModel[gpu] === need.model && fleet.gpuMemoryMiB[gpu]! >= need.gpuMemoryMiB;
}

/** Where members would fit if nobody else were there. */
export function domainRoomWhenEmpty(fleet: Fleet, need: MemberNeed, most: number): DomainRoom {
  const fits = (node: FleetNode) => membersThatFit(fleet, node, need, "every-node-empty", most);
  return fleet.domainRoomFor(`empty/${keyOf(need, most)}`, fits);
}

export function keyOf({ model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB }: MemberNeed, most: number): string {
  return `${model}/${gpus}/${gpuMemoryMiB}/${cpusMilli}/${memoryMiB}/${most}`;
}

/** What a member needs of a node. */
export interface MemberAsk {
  readonly gpus: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** Whether a node may be used, if these seats on it were gone. */
export type MayUse = (node: FleetNode, going?: Iterable<Going>) => boolean;

/** A seat that will be gone. */
export interface Going {
  readonly account: AccountNo;
  readonly node: NodeNo;
}
