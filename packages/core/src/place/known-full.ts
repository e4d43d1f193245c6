import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { State } from "../state/state.ts";
import type { Wish } from "../state/wish.ts";

/**
 * Whether it is known that no free seats hold a wish, whoever asks: none did, and no node that has changed since holds
 * even one member. Most who wait are told so without a search.
 */
export function isKnownFull({ fleet }: State, { shape, options }: Wish, spec: JobSpec): boolean {
  const { count, recent } = fleet.changes;
  if (shape.fullAt === count) return true;
  if (shape.fullAt < 0 || count - shape.fullAt > recent.length) return false;
  for (let change = shape.fullAt; change < count; change++) {
    const node = fleet.nodes[recent[change % recent.length]!];
    if (node === undefined || !mayHoldOne(fleet, node, options, spec)) continue;
    shape.fullAt = -1;
    return false;
  }
  shape.fullAt = count;
  return true;
}

/** To be called when no free seats hold a wish, be it without regard to plans and neighbours. */
export function noteFull({ fleet }: State, { shape }: Wish): void {
  shape.fullAt = fleet.changes.count;
}

/** It may say yes in vain, but never no where a member would find a seat. */
function mayHoldOne(
  fleet: State["fleet"],
  node: FleetNode,
  options: Wish["options"],
  { gpus, cpusMilli, memoryMiB }: JobSpec,
): boolean {
  if (node.mode !== "up" || node.freeCpusMilli < cpusMilli || node.freeMemoryMiB < memoryMiB) return false;
  for (const { choice } of options) {
    const { count, part } = gpus[choice]!;
    if (part === undefined) {
      if (fleet.nodeFreeGpus[node.no]! >= count) return true;
    } else if (hasPart(fleet, node, part.compute, part.memory)) return true;
  }
  return false;
}

function hasPart(fleet: State["fleet"], { firstGpu, facts }: FleetNode, compute: number, memory: number): boolean {
  for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
    if (fleet.gpuHeldFor[gpu] === 0 && fleet.gpuFree[gpu]! >= compute && fleet.gpuFreeMemory[gpu]! >= memory)
      return true;
  }
  return false;
}
