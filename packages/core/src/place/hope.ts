import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { JobSpec } from "../model/job.ts";
import type { Wish } from "../state/indexes/wish.ts";

/**
 * Whether a node has room for one member of a wish, as far as counts of free GPUs, cores and memory tell. It may be wrong
 * to say yes, but never to say no. Depends on the fleet alone, so that every scheduler gives the same answer.
 */
export function mayFitOne(fleet: ReadonlyFleet, { options }: Wish, { gpus, cpusMilli, memoryMiB }: JobSpec): boolean {
  for (const { choice, model } of options) {
    const { count, part } = gpus[choice]!;
    if (part !== undefined || fleet.oddNodes.size > 0) return true;
    if (model >= 0 ? hasNode(fleet, model, count, cpusMilli, memoryMiB) : hasAnyNode(fleet, cpusMilli, memoryMiB))
      return true;
  }
  return false;
}

function hasNode(fleet: ReadonlyFleet, model: number, gpus: number, cpusMilli: number, memoryMiB: number): boolean {
  for (let free = gpus; free <= fleet.freeMax(model); free++) {
    const nodes = fleet.nodesWith(model, free);
    if (nodes !== undefined && nodes.next(0, cpusMilli, memoryMiB) >= 0) return true;
  }
  return false;
}

function hasAnyNode(fleet: ReadonlyFleet, cpusMilli: number, memoryMiB: number): boolean {
  return fleet.models.some((_, model) => hasNode(fleet, model, 0, cpusMilli, memoryMiB));
}
