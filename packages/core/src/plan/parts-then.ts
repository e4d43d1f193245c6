import { type Newcomer, type Occupant, type PartAsk, seatPart } from "../gpu/seat.ts";
import type { GpuNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { jobOf } from "../state/live-jobs.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { State } from "../state/state.ts";

/** Parts of GPUs that a job will have: how many members on each. */
export type PartsOn = ReadonlyMap<GpuNo, number>;

/** Whoever has, or will have, parts of GPUs. */
export interface PartHolder {
  readonly job: Job;
  /** The alternative by which it asks for them. */
  readonly choice: number;
  readonly parts: PartsOn;
}

/** Whether a job that runs is not known to be over by then. */
type RunsPast = (job: Job, at: Instant) => boolean;

/** How much of a node parts would take. */
export interface PartsFound {
  readonly parts: Map<GpuNo, number>;
  readonly members: number;
  /** GPUs among them that nobody has a part of, now or by then: who plans whole ones counts them too. */
  readonly opened: number;
}

/**
 * Parts of a node's GPUs for up to `most` members of a job at a moment to come, once what is over by then has left, beside
 * the parts of those who will have begun. At most `freshMax` GPUs are opened that nobody will hold a part of.
 */
export function partsThen(
  state: State,
  node: FleetNode,
  model: number,
  asking: Omit<PartHolder, "parts">,
  at: Instant,
  runsPast: RunsPast,
  begun: readonly PartHolder[],
  most: number,
  freshMax: number,
): PartsFound {
  const { fleet } = state;
  const ask = askOf(asking);
  const who = newcomerOf(state, asking.job);
  const staying = stayingOn(state, node, at, runsPast);
  const found = { parts: new Map<GpuNo, number>(), members: 0, opened: 0 };
  const isUsed = (gpu: GpuNo) => fleet.parts.has(gpu) || begun.some((each) => each.parts.has(gpu));
  const take = (gpu: GpuNo): boolean => {
    const there = staying.get(gpu) ?? [];
    const occupants = there === "whole" ? undefined : besideThose(state, gpu, [...there], begun);
    const here = occupants === undefined ? 0 : seat(state, gpu, occupants, who, ask, most - found.members);
    if (here === 0) return false;
    found.parts.set(gpu, here);
    found.members += here;
    if (!isUsed(gpu)) found.opened++;
    return true;
  };
  const end = node.firstGpu + node.facts.gpus.length;
  const isOpen = (gpu: number) => fleet.gpuHeldFor[gpu] === 0 && fleet.gpuModel[gpu] === model;
  // Those that others have parts of come first, as when a part is placed.
  for (let gpu = node.firstGpu; gpu < end && found.members < most; gpu++) if (isOpen(gpu) && isUsed(gpu)) take(gpu);
  let fresh = 0;
  for (let gpu = node.firstGpu; gpu < end && found.members < most && fresh < freshMax; gpu++)
    if (isOpen(gpu) && !isUsed(gpu) && take(gpu)) fresh++;
  return found;
}

/** Whether those who will have parts of a GPU at a moment to come still find them if somebody holds one more then. */
export function leavesParts(
  state: State,
  node: FleetNode,
  gpu: GpuNo,
  more: Occupant,
  at: Instant,
  runsPast: RunsPast,
  planned: readonly PartHolder[],
): boolean {
  const staying = stayingOn(state, node, at, runsPast).get(gpu);
  if (staying === "whole") return true;
  return besideThose(state, gpu, [...(staying ?? []), more], planned) !== undefined;
}

function askOf({ job: { spec }, choice }: Omit<PartHolder, "parts">): PartAsk {
  return { ...spec.gpus[choice]!.part!, isolation: spec.isolation };
}

/** Who will hold parts of each GPU of a node, of those who do now, or that somebody holds it whole. */
function stayingOn(state: State, node: FleetNode, at: Instant, runsPast: RunsPast): Map<GpuNo, Occupant[] | "whole"> {
  const { fleet } = state;
  const staying = new Map<GpuNo, Occupant[] | "whole">();
  for (const { id, job, gpus, part } of fleet.leasesOn(node.no)) {
    if (gpus.length === 0 || !runsPast(jobOf(state, job), at)) continue;
    for (const gpu of gpus) {
      const beside = staying.get(gpu);
      if (part === undefined || beside === "whole") staying.set(gpu, "whole");
      else if (beside === undefined) staying.set(gpu, [fleet.parts.get(gpu)!.get(id)!]);
      else beside.push(fleet.parts.get(gpu)!.get(id)!);
    }
  }
  return staying;
}

/** Those on a GPU and then some others who will come to it; undefined where not all of them find a part. */
function besideThose(
  state: State,
  gpu: GpuNo,
  occupants: Occupant[],
  coming: readonly PartHolder[],
): Occupant[] | undefined {
  for (const each of coming) {
    const members = each.parts.get(gpu);
    if (members === undefined) continue;
    if (seat(state, gpu, occupants, newcomerOf(state, each.job), askOf(each), members) < members) return undefined;
  }
  return occupants;
}

/** Seats up to `most` members on a GPU, among its occupants from then on; answers how many there was room for. */
function seat({ fleet }: State, gpu: GpuNo, occupants: Occupant[], who: Newcomer, ask: PartAsk, most: number): number {
  const device = fleet.device(gpu);
  for (let members = 0; members < most; members++) {
    const part = seatPart(device, occupants, who, ask);
    if (typeof part === "string") return members;
    occupants.push({ ...who, ...part });
  }
  return most;
}
