import { type Newcomer, type Occupant, type PartAsk, seatPart } from "../gpu/seat.ts";
import type { GpuNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { jobOf } from "../state/live-jobs.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { Ends } from "./ends.ts";

/** Parts of GPUs that a job will have: how many members on each. */
export type PartsOn = ReadonlyMap<GpuNo, number>;

/** A job that asks for parts of GPUs, by one of its alternatives. */
interface PartSeeker {
  readonly job: Job;
  readonly choice: number;
}

/** A job that will have parts of GPUs. */
export interface PartHolder extends PartSeeker {
  readonly parts: PartsOn;
}

/** Parts for a job on one node at a later instant. */
export interface PartsQuestion {
  readonly seeker: PartSeeker;
  readonly node: FleetNode;
  readonly model: number;
  readonly at: Instant;
  /** The planned jobs that will have parts by then. */
  readonly planned: readonly PartHolder[];
  readonly membersMax: number;
  /** How many GPUs may be opened on which no job will have a part. */
  readonly openedMax: number;
}

export interface PartsFound {
  readonly parts: Map<GpuNo, number>;
  readonly members: number;
  /** GPUs among them without any part, now or by then: plans for whole GPUs count them too. */
  readonly opened: number;
}

/** Parts of a node's GPUs, once the leases that end by then are gone, beside the parts of the planned jobs. */
export function futureParts(state: ReadonlyState, ends: Ends, question: PartsQuestion): PartsFound {
  const { seeker, node, model, at, planned, membersMax, openedMax } = question;
  const { fleet } = state;
  const ask = partAskOf(seeker);
  const newcomer = newcomerOf(state, seeker.job);
  const staying = stayingOn(state, ends, node, at);
  const found = { parts: new Map<GpuNo, number>(), members: 0, opened: 0 };
  const isShared = (gpu: GpuNo) => fleet.parts.has(gpu) || planned.some((each) => each.parts.has(gpu));
  const take = (gpu: GpuNo): void => {
    const there = staying.get(gpu) ?? [];
    const occupants = there === "whole" ? undefined : withPlanned(state, gpu, [...there], planned);
    const here = occupants && seat(state, { gpu, occupants, newcomer, ask }, membersMax - found.members);
    if (!here) return;
    found.parts.set(gpu, here);
    found.members += here;
    if (!isShared(gpu)) found.opened++;
  };
  const end = node.firstGpu + node.facts.gpus.length;
  const isOpen = (gpu: number) => fleet.gpuHeldFor[gpu] === 0 && fleet.gpuModel[gpu] === model;
  // Shared GPUs come first, as when a part is placed.
  for (let gpu = node.firstGpu; gpu < end && found.members < membersMax; gpu++)
    if (isOpen(gpu) && isShared(gpu)) take(gpu);
  for (let gpu = node.firstGpu; gpu < end && found.members < membersMax && found.opened < openedMax; gpu++)
    if (isOpen(gpu) && !isShared(gpu)) take(gpu);
  return found;
}

/** One more part on a GPU that will still be there at a later instant. */
interface OneMorePart {
  readonly node: FleetNode;
  readonly gpu: GpuNo;
  readonly occupant: Occupant;
  readonly at: Instant;
}

/** Whether the jobs that are planned to have parts of a GPU still find them beside one more part. */
export function leavesParts(
  state: ReadonlyState,
  ends: Ends,
  more: OneMorePart,
  planned: readonly PartHolder[],
): boolean {
  const { node, gpu, occupant, at } = more;
  const staying = stayingOn(state, ends, node, at).get(gpu);
  if (staying === "whole") return true;
  return withPlanned(state, gpu, [...(staying ?? []), occupant], planned) !== undefined;
}

function partAskOf({ job: { spec }, choice }: PartSeeker): PartAsk {
  return { ...must(spec.gpus[choice]?.part, "only a job that asks for a part has parts"), isolation: spec.isolation };
}

/** The present parts of each GPU of a node that will still be held, or that the GPU will be held whole. */
function stayingOn(state: ReadonlyState, ends: Ends, node: FleetNode, at: Instant): Map<GpuNo, Occupant[] | "whole"> {
  const { fleet } = state;
  const staying = new Map<GpuNo, Occupant[] | "whole">();
  for (const { id, job, gpus, part } of fleet.leasesOn(node.no)) {
    if (gpus.length === 0 || !ends.runsPast(jobOf(state, job), at)) continue;
    for (const gpu of gpus) {
      const beside = staying.get(gpu);
      if (part === undefined || beside === "whole") staying.set(gpu, "whole");
      else if (beside === undefined) staying.set(gpu, [fleet.parts.get(gpu)!.get(id)!]);
      else beside.push(fleet.parts.get(gpu)!.get(id)!);
    }
  }
  return staying;
}

/** The occupants of a GPU once the planned jobs have their parts of it; undefined where not all of these fit. */
function withPlanned(
  state: ReadonlyState,
  gpu: GpuNo,
  occupants: Occupant[],
  planned: readonly PartHolder[],
): Occupant[] | undefined {
  for (const each of planned) {
    const members = each.parts.get(gpu);
    if (members === undefined) continue;
    const seating = { gpu, occupants, newcomer: newcomerOf(state, each.job), ask: partAskOf(each) };
    if (seat(state, seating, members) < members) return undefined;
  }
  return occupants;
}

interface Seating {
  readonly gpu: GpuNo;
  readonly occupants: Occupant[];
  readonly newcomer: Newcomer;
  readonly ask: PartAsk;
}

/** Adds up to `membersMax` members to the occupants of a GPU; returns how many there was room for. */
function seat({ fleet }: ReadonlyState, { gpu, occupants, newcomer, ask }: Seating, membersMax: number): number {
  const device = fleet.device(gpu);
  for (let members = 0; members < membersMax; members++) {
    const part = seatPart(device, occupants, newcomer, ask);
    if (typeof part === "string") return members;
    occupants.push({ ...newcomer, ...part });
  }
  return membersMax;
}
