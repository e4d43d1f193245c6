import type { AccountNo, GpuNo, NodeNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { PartSeat } from "../model/part.ts";
import { unitsPerGpu } from "../model/units.ts";
import type { DomainRoom } from "./domain-room.ts";

import type { ReadonlyFleet } from "./readonly-fleet.ts";
/** What one member needs of a node. */
export interface MemberNeed {
  /** Model number; below 0 for a member without GPUs. */
  readonly model: number;
  readonly gpus: number;
  readonly gpuMemoryMiB: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** The only nodes that could be used, whatever they hold; absent = all. */
  readonly among?: Among | undefined;
  /** The nodes that may be used, where tenants or jobs are kept apart by nodes. */
  readonly mayUse?: MayUse | undefined;
  /** GPUs that need no scrub first [S4]; preferred. */
  readonly isClean?: ((gpu: number) => boolean) | undefined;
  /** Whether the job would be burst; undefined where that makes no difference. */
  readonly burst?: boolean | undefined;
}

export function needOf(
  spec: JobSpec,
  choice: number,
  model: number,
  among: Among | undefined,
  burst?: boolean,
): MemberNeed {
  const { cpusMilli, memoryMiB, gpuMemoryMiB } = spec;
  return { model, gpus: spec.gpus[choice]!.count, gpuMemoryMiB, cpusMilli, memoryMiB, among, burst };
}

/** The nodes that count and whether their present load does: to place, to explain, or to find what can never fit. */
export type View = "now" | "every-node-now" | "every-node-empty";

/** Limits that plans set on free seats [B2]. */
export interface BesidePlans {
  /** How many of `members` may be placed on a node. */
  readonly mayTake: (node: FleetNode, need: MemberAsk, members: number) => number;
  /** Whether a part may be placed on a GPU. */
  readonly mayJoin: (node: FleetNode, gpu: GpuNo, part: PartSeat) => boolean;
}

/** How many members with this need fit on a node, at most `most`. */
export function membersThatFit(
  fleet: ReadonlyFleet,
  node: FleetNode,
  need: MemberNeed,
  view: View,
  most: number,
  plans?: BesidePlans,
): number {
  if (view === "now" && node.mode !== "up") return 0;
  if (need.among !== undefined && !need.among.has(node)) return 0;
  const empty = view === "every-node-empty";
  if (!isInEngine(fleet, node, need)) return 0;
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

/** Whether a node is in the engine of a need without GPUs; with GPUs the model tells [P9]. */
export function isInEngine(fleet: ReadonlyFleet, { facts }: FleetNode, { model }: MemberNeed): boolean {
  return model >= 0 || fleet.engines.length < 2 || fleet.engineOf(model) === facts.engine;
}

export function gpusThatFit(fleet: ReadonlyFleet, node: FleetNode, need: MemberNeed, empty: boolean): number {
  if (!empty && fleet.nodeFreeGpus[node.no] === 0) return 0;
  // On a node with a single model the free GPUs are counted already.
  if (need.gpuMemoryMiB === 0 && fleet.soleModel(node) === need.model)
    return empty ? node.facts.gpus.length : fleet.nodeFreeGpus[node.no]!;
  let count = 0;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++) if (gpuServes(fleet, gpu, need, empty)) count++;
  return count;
}

export function gpuServes(fleet: ReadonlyFleet, gpu: number, need: MemberNeed, empty: boolean): boolean {
  const free = empty ? fleet.gpuCapacity[gpu] === unitsPerGpu : fleet.isFree(gpu);
  return free && fleet.gpuModel[gpu] === need.model && fleet.gpuMemoryMiB[gpu]! >= need.gpuMemoryMiB;
}

/** The room of all domains if the fleet were empty. */
export function domainRoomWhenEmpty(fleet: ReadonlyFleet, need: MemberNeed, most: number): DomainRoom {
  const fits = (node: FleetNode) => membersThatFit(fleet, node, need, "every-node-empty", most);
  return fleet.domainRoomFor(`empty/${keyOf(need, most)}`, fits);
}

export function keyOf({ model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, among }: MemberNeed, most: number): string {
  const key = `${model}/${gpus}/${gpuMemoryMiB}/${cpusMilli}/${memoryMiB}/${most}`;
  return among === undefined ? key : `${key}/${among.key}`;
}

/** The amounts of a need, without the model. */
export interface MemberAsk {
  readonly gpus: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** Nodes that have what a job asks for beside amounts. Depends on what nodes are, never on what they hold. */
export interface Among {
  /** The same for the same nodes. */
  readonly key: string;
  has(node: FleetNode): boolean;
}

/** Whether a node may be used once these seats on it are gone. */
export type MayUse = (node: FleetNode, going?: Iterable<Going>) => boolean;

/** A seat that will be gone. */
export interface Going {
  readonly account: AccountNo;
  readonly node: NodeNo;
}
