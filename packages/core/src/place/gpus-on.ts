import { gpuServes, type MemberNeed } from "../fleet/fit.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { GpuNo } from "../model/ids.ts";
import type { FleetNode } from "../model/node.ts";

/** Free GPUs for one member on a node that is known to hold it. */
export function gpusForOne(fleet: ReadonlyFleet, node: FleetNode, need: MemberNeed): GpuNo[] {
  if (need.gpus === 1 && need.isClean === undefined) return [firstOn(fleet, node, need)];
  return gpusOn(fleet, node, need, 1)[0]!;
}

/** Free GPUs for `count` members on one node, lowest first; GPUs that need no scrub before others. */
export function gpusOn(fleet: ReadonlyFleet, node: FleetNode, need: MemberNeed, count: number): GpuNo[][] {
  const { isClean } = need;
  const wanted = count * need.gpus;
  const chosen: GpuNo[] = [];
  const rest: GpuNo[] = [];
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end && chosen.length < wanted; gpu++) {
    if (!gpuServes(fleet, gpu, need, false)) continue;
    (isClean === undefined || isClean(gpu) ? chosen : rest).push(gpu as GpuNo);
  }
  if (chosen.length < wanted) {
    chosen.push(...rest.slice(0, wanted - chosen.length));
    chosen.sort((a, b) => a - b);
  }
  if (chosen.length < wanted)
    throw new Error(`node ${node.no} has ${chosen.length} GPUs for these members, not ${wanted}`);
  if (count === 1) return [chosen.slice()]; // without the spare capacity of a grown array, because the seat is kept
  return Array.from({ length: count }, (_, i) => chosen.slice(i * need.gpus, (i + 1) * need.gpus));
}

/** The lowest GPU of a node that serves. */
function firstOn(fleet: ReadonlyFleet, { no, firstGpu, facts }: FleetNode, need: MemberNeed): GpuNo {
  const end = firstGpu + facts.gpus.length;
  for (let gpu = firstGpu; gpu < end; gpu++) if (gpuServes(fleet, gpu, need, false)) return gpu;
  throw new Error(`node ${no} has no GPU for this member`);
}
