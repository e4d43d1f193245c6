import type { Seat } from "../journal/event.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { GpuAsk, JobSpec } from "../model/job.ts";
import { unitsPerGpu } from "../model/units.ts";
import { type NoSeat, type Occupant, type PartAsk, seatPart, type Who } from "../part/seat.ts";
import type { Fleet } from "../state/fleet.ts";
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
  for (const gpu of added.keys()) {
    const seat = tryGpu(gpu);
    if (seat !== undefined) return seat;
  }
  for (let free = Math.floor(ask.compute / 1_000); free <= unitsPerGpu / 1_000; free++) {
    const seat = firstSeat(fleet.sharedWith(need.model, free), tryGpu);
    if (seat !== undefined) return seat;
  }
  for (let free = 1; free <= fleet.freeMax(need.model); free++) {
    const nodes = fleet.nodesWith(need.model, free);
    const seat = firstSeat(nodes, (no) => freshSeat(fleet, no, added, tryGpu));
    if (seat !== undefined) return seat;
  }
  return why;
}

function freshSeat(
  fleet: Fleet,
  no: number,
  added: ReadonlyMap<number, unknown>,
  tryGpu: (gpu: number) => Seat | undefined,
): Seat | undefined {
  const node = fleet.nodes[no]!;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++)
    if (fleet.isFree(gpu) && !added.has(gpu)) return tryGpu(gpu);
  return undefined;
}

function firstSeat(
  set: { next(from: number): number } | undefined,
  attempt: (no: number) => Seat | undefined,
): Seat | undefined {
  if (set === undefined) return undefined;
  for (let no = set.next(0); no >= 0; no = set.next(no + 1)) {
    const seat = attempt(no);
    if (seat !== undefined) return seat;
  }
  return undefined;
}
