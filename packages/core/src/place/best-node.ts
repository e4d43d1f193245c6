import type { NodeIndex } from "../collections/node-index.ts";
import { type BesidePlans, type MemberNeed, membersThatFit } from "../fleet/fit.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { FleetWorth } from "../learn/worth/fleet-worth.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { gpusForOne } from "./gpus-on.ts";

/** How many nodes are weighed against each other. Nodes with fewer free GPUs come first, and are seldom beaten. */
const nodesWeighed = 3;

/**
 * The node whose room the fleet misses least [P4], among the first nodes that fit, fewest free GPUs first. Of equals, and
 * while the worth of room is unknown, the first of them.
 */
export function leastMissed(
  fleet: ReadonlyFleet,
  need: MemberNeed,
  plans: BesidePlans | undefined,
  worth: FleetWorth | undefined,
): FleetNode | undefined {
  const any = need.model < 0;
  const lastModel = any ? fleet.models.length - 1 : need.model;
  let best: FleetNode | undefined;
  let least = 0;
  let weighed = 0;
  for (let model = any ? 0 : need.model; model <= lastModel; model++) {
    const known = worth !== undefined && model < worth.models;
    for (let free = need.gpus; free <= fleet.freeMax(model); free++) {
      const found = bestThatFits(fleet, fleet.nodesWith(model, free), need, plans);
      if (found === undefined) continue;
      if (!known) return best ?? found;
      const points = pointsOn(fleet, found, model, need, worth);
      if (best === undefined || points < least) [best, least] = [found, points];
      if (++weighed === nodesWeighed) return best;
    }
  }
  return best ?? firstThatFits(fleet, fleet.oddNodes, need, plans);
}

/** How many nodes with equally many free GPUs are compared. */
const nodesCompared = 16;

/**
 * The best of the first nodes that hold a member now: without a scrub (S4), then with the fewest GPUs held by jobs of the
 * other class, then the lowest. Keeping burst and guaranteed work on different nodes leaves whole nodes to reclaim [P4].
 */
function bestThatFits(
  fleet: ReadonlyFleet,
  nodes: NodeIndex | undefined,
  need: MemberNeed,
  plans: BesidePlans | undefined,
): FleetNode | undefined {
  const first = firstThatFits(fleet, nodes, need, plans);
  if (need.gpus === 0 || (need.isClean === undefined && need.burst === undefined)) return first;
  let best: FleetNode | undefined;
  let least = Number.POSITIVE_INFINITY;
  let node = first;
  for (let looked = 0; node !== undefined && looked < nodesCompared; looked++) {
    const flaws = flawsOf(fleet, node, need);
    if (flaws < least) [best, least] = [node, flaws];
    if (flaws === 0) break;
    node = firstThatFits(fleet, nodes, need, plans, node.no + 1);
  }
  return best;
}

/** A scrub weighs more than all GPUs of a node. */
const scrubFlaws = 1_000;

function flawsOf(fleet: ReadonlyFleet, node: FleetNode, need: MemberNeed): number {
  const { isClean, burst } = need;
  const scrub = isClean === undefined || gpusForOne(fleet, node, need).every(isClean) ? 0 : scrubFlaws;
  if (burst === undefined) return scrub;
  const covered = fleet.nodeCoveredGpus[node.no]!;
  const others = burst ? covered : node.facts.gpus.length - fleet.nodeFreeGpus[node.no]! - covered;
  return scrub + Math.max(0, others);
}

/** The worth that the fleet would lose if a member went there. */
function pointsOn(fleet: ReadonlyFleet, node: FleetNode, model: number, need: MemberNeed, worth: FleetWorth): number {
  let used = 0;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++)
    if (fleet.gpuHeldFor[gpu] === 0) used += worth.usedOf(model, fleet.gpuFree[gpu]!);
  const { cpusMilli, gpus } = need;
  const whole = fleet.nodeFreeGpus[node.no]!;
  const usedTaken = gpus * worth.usedOf(model, unitsPerGpu);
  return worth.points(model, node.freeCpusMilli, used, whole, cpusMilli, usedTaken, gpus);
}

/** The lowest of these nodes that holds a member now, beginning with `from`. */
export function firstThatFits(
  fleet: ReadonlyFleet,
  nodes: NodeIndex | undefined,
  need: MemberNeed,
  plans?: BesidePlans,
  from = 0,
): FleetNode | undefined {
  if (nodes === undefined) return undefined;
  const { cpusMilli, memoryMiB } = need;
  for (let no = nodes.next(from, cpusMilli, memoryMiB); no >= 0; no = nodes.next(no + 1, cpusMilli, memoryMiB)) {
    const node = fleet.nodes[no]!;
    if (membersThatFit(fleet, node, need, "now", 1, plans) > 0) return node;
  }
  return undefined;
}
