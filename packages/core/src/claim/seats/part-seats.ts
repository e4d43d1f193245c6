import type { ReadonlyFleet } from "../../fleet/readonly-fleet.ts";
import { type Newcomer, type Occupant, type PartAsk, seatPart } from "../../gpu/seat.ts";
import type { Seat } from "../../journal/event.ts";
import type { GpuNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { FleetNode } from "../../model/node.ts";
import { newcomerOf } from "../../state/neighbours.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Victim } from "../draft/victim.ts";

/** Parts of GPUs that a claimant asks for, one for each of its members. */
export interface PartNeed {
  readonly ask: PartAsk;
  readonly who: Newcomer;
  readonly members: number;
}

/** The parts that an alternative of a job asks for; undefined where it asks for whole GPUs. */
export function partNeedOf(state: ReadonlyState, job: Job, choice: number): PartNeed | undefined {
  const { spec } = job;
  const { part } = spec.gpus[choice]!;
  if (part === undefined) return undefined;
  return { ask: { ...part, isolation: spec.isolation }, who: newcomerOf(state, job), members: spec.members.min };
}

/** Parts of a node's GPUs for as many members as find one, once these victims and all stopping work have left. */
export function partSeats(
  fleet: ReadonlyFleet,
  node: FleetNode,
  model: number,
  { ask, who, members }: PartNeed,
  leaving: Iterable<Victim>,
): Seat[] {
  const staying = occupantsOnceLeft(fleet, node, leaving);
  const seats: Seat[] = [];
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end && seats.length < members; gpu++) {
    const occupants = staying.get(gpu) ?? [];
    if (occupants === "whole" || fleet.gpuHeldFor[gpu] !== 0 || fleet.gpuModel[gpu] !== model) continue;
    const device = fleet.device(gpu);
    while (seats.length < members) {
      const part = seatPart(device, occupants, who, ask);
      if (typeof part === "string") break;
      seats.push({ node: node.no, gpus: [gpu as GpuNo], part });
      occupants.push({ ...who, ...part });
    }
  }
  return seats;
}

/** The parts that stay on each GPU of a node, or `whole` for a GPU that stays in use as a whole. */
function occupantsOnceLeft(
  fleet: ReadonlyFleet,
  node: FleetNode,
  leaving: Iterable<Victim>,
): Map<number, Occupant[] | "whole"> {
  const gone = new Set([...leaving].flatMap(({ leases }) => leases.map(({ id }) => id)));
  const staying = new Map<number, Occupant[] | "whole">();
  for (const { id, gpus, state, part } of fleet.leasesOn(node.no)) {
    if (state === "stopping" || gone.has(id)) continue;
    for (const gpu of gpus) {
      const occupant = part === undefined ? undefined : fleet.parts.get(gpu)!.get(id)!;
      const beside = staying.get(gpu);
      if (occupant === undefined || beside === "whole") staying.set(gpu, "whole");
      else if (beside === undefined) staying.set(gpu, [occupant]);
      else beside.push(occupant);
    }
  }
  return staying;
}
