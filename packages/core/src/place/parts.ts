import type { Seat } from "../journal/event.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { GpuAsk, JobSpec } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";
import { isAlikeFor } from "../part/alike.ts";
import { type NoSeat, type Occupant, type PartAsk, seatPart, type Who } from "../part/seat.ts";
import type { Fleet } from "../state/fleet.ts";
import type { SharedGroup } from "../state/shared-gpus.ts";
import type { MemberNeed } from "./seats.ts";

/** A part of a GPU for each member, or the best reason why not. */
export function findParts(fleet: Fleet, need: MemberNeed, spec: JobSpec, ask: GpuAsk, who: Who): Seat[] | NoSeat {
  const partAsk: PartAsk = { ...ask.part!, isolation: spec.isolation };
  const { min: members, apart } = spec.members;
  const seats: Seat[] = [];
  const added = new Map<number, Occupant[]>();
  for (let i = 0; i < members; i++) {
    const usable = (no: number): boolean => !apart || seats.every((seat) => seat.node !== no);
    const seat = onePart(fleet, need, partAsk, who, added, usable);
    if (typeof seat === "string") return seat;
    seats.push(seat);
    const gpu = seat.gpus[0]!;
    added.set(gpu, [...(added.get(gpu) ?? []), { ...who, ...seat.part! }]);
  }
  return seats;
}

const better: Readonly<Record<NoSeat, number>> = { reserved: 3, isolation: 2, "no-room": 1, never: 0 };

/** A GPU that is cut already and has just enough left; else the first free one of the fullest node. */
function onePart(
  fleet: Fleet,
  need: MemberNeed,
  ask: PartAsk,
  who: Who,
  added: ReadonlyMap<number, readonly Occupant[]>,
  usable: (node: number) => boolean,
): Seat | NoSeat {
  let why: NoSeat = "never";
  const tryGpu = (gpu: number): Seat | undefined => {
    const node = fleet.nodes[fleet.gpuNode[gpu]!];
    if (node === undefined || node.mode !== "up" || fleet.gpuHeldFor[gpu] !== 0 || !usable(node.no)) return undefined;
    if (need.mayUse !== undefined && !need.mayUse(node)) {
      why = "isolation";
      return undefined;
    }
    if (node.freeCpusMilli < need.cpusMilli || node.freeMemoryMiB < need.memoryMiB) return undefined;
    const occupants = [...fleet.occupants(gpu), ...(added.get(gpu) ?? [])];
    const part = seatPart(fleet.device(gpu), occupants, who, ask);
    if (typeof part === "object") return { node: node.no as NodeNo, gpus: [gpu as GpuNo], part };
    if (better[part] > better[why]) why = part;
    return undefined;
  };
  const { cpusMilli, memoryMiB } = need;
  /** The first seat in a group on a GPU below `end`. */
  const tryGroup = ({ device, occupants, gpus }: SharedGroup, end: number): Seat | undefined => {
    const answer = seatPart(device, occupants, who, ask);
    const isFinal = typeof answer === "string" && (answer !== "isolation" || isAlikeFor(who, occupants));
    for (let gpu = gpus.next(0, cpusMilli, memoryMiB); gpu >= 0; gpu = gpus.next(gpu + 1, cpusMilli, memoryMiB)) {
      if (gpu >= end || (isFinal && better[answer] <= better[why])) return undefined;
      const seat = added.has(gpu) ? undefined : tryGpu(gpu);
      if (seat !== undefined) return seat;
    }
    return undefined;
  };
  for (const gpu of added.keys()) {
    const seat = tryGpu(gpu);
    if (seat !== undefined) return seat;
  }
  const freeMin = Math.floor(ask.compute / 1_000);
  for (let free = freeMin; free <= unitsPerGpu / 1_000; free++) {
    let lowest: Seat | undefined;
    for (const group of fleet.shared.groupsWith(need.model, free))
      lowest = tryGroup(group, lowest?.gpus[0] ?? fleet.gpus) ?? lowest;
    if (lowest !== undefined) return lowest;
  }
  for (let free = 1; free <= fleet.freeMax(need.model); free++) {
    const nodes = fleet.nodesWith(need.model, free);
    if (nodes === undefined) continue;
    for (let no = nodes.next(0, cpusMilli, memoryMiB); no >= 0; no = nodes.next(no + 1, cpusMilli, memoryMiB)) {
      const gpu = freshGpu(fleet, no, added);
      const seat = gpu === undefined ? undefined : tryGpu(gpu);
      if (seat !== undefined) return seat;
    }
  }
  const { mayUse } = need;
  if (mayUse === undefined || better[why] >= better.isolation) return why;
  const isKept = (gpu: number) => usable(fleet.gpuNode[gpu]!) && !mayUse(fleet.node(fleet.gpuNode[gpu]! as NodeNo));
  return anyGpu(fleet, need.model, freeMin, added, isKept) ? "isolation" : why;
}

/** Whether something holds of a GPU on which a part would be looked for if cores and memory did not count. */
function anyGpu(
  fleet: Fleet,
  model: number,
  freeMin: number,
  added: ReadonlyMap<number, unknown>,
  holds: (gpu: number) => boolean,
): boolean {
  for (let free = freeMin; free <= unitsPerGpu / 1_000; free++)
    for (const { gpus } of fleet.shared.groupsWith(model, free))
      for (let gpu = gpus.next(0); gpu >= 0; gpu = gpus.next(gpu + 1)) if (holds(gpu)) return true;
  for (let free = 1; free <= fleet.freeMax(model); free++) {
    const nodes = fleet.nodesWith(model, free);
    for (let no = nodes?.next(0) ?? -1; no >= 0; no = nodes!.next(no + 1)) {
      const gpu = freshGpu(fleet, no, added);
      if (gpu !== undefined && holds(gpu)) return true;
    }
  }
  return false;
}

/** The first GPU of a node of which nothing is in use. */
function freshGpu(fleet: Fleet, no: number, added: ReadonlyMap<number, unknown>): number | undefined {
  const node = fleet.nodes[no]!;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++) if (fleet.isFree(gpu) && !added.has(gpu)) return gpu;
  return undefined;
}
