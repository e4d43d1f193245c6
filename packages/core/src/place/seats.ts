import type { NodeIndex } from "../collections/node-index.ts";
import { DomainRoom } from "../fleet/domain-room.ts";
import {
  type BesidePlans,
  gpuServes,
  keyOf,
  type MayUse,
  type MemberNeed,
  membersThatFit,
  needOf,
} from "../fleet/fit.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { spreadGang } from "../fleet/gang.ts";
import type { NoSeat } from "../gpu/seat.ts";
import type { Seat } from "../journal/event.ts";
import type { FleetWorth } from "../learn/worth/fleet-worth.ts";
import type { GpuNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { State } from "../state/state.ts";
import type { Asking } from "./apart.ts";
import { isConfidential, keptApart, nodesFor, ownNodes } from "./dedicated.ts";
import { cleanFor } from "./handover.ts";
import { findParts } from "./parts.ts";

/** Seats for all members or none [P1], on nodes `within`; where its class is known, beside work of the same. */
export function findSeats(
  state: State,
  job: Asking,
  choice: number,
  model: number,
  plans?: BesidePlans,
  within?: (node: FleetNode) => boolean,
  burst?: boolean,
): Seat[] | NoSeat {
  const { spec } = job;
  const { fleet } = state;
  const anywhere = needOf(spec, choice, model, burst);
  const apart = keptApart(state, job.account);
  const may = nodesFor(state, job);
  const mayUse = within === undefined ? may : both(within, may);
  const isClean = state.policy.scrubMs === undefined ? undefined : cleanFor(state, job.account);
  const need = mayUse === undefined && isClean === undefined ? anywhere : { ...anywhere, mayUse, isClean };
  const ask = spec.gpus[choice]!;
  if (ask.part !== undefined) {
    const who = newcomerOf(state, job);
    const seats = findParts(fleet, need, spec, ask, who, plans);
    if (typeof seats !== "string" || mayUse === apart) return seats;
    const lasting = findParts(fleet, { ...need, mayUse: apart }, spec, ask, who);
    return typeof lasting === "string" ? lasting : "reserved";
  }
  const seats = findOwn(state, job, need, plans) ?? findWhole(fleet, need, spec, plans, state.arrivals.worth);
  if (seats !== undefined) return seats;
  if (mayUse !== apart && findWhole(fleet, { ...anywhere, mayUse: apart }, spec, plans) !== undefined)
    return "reserved";
  return apart !== undefined && findWhole(fleet, anywhere, spec, plans) !== undefined ? "isolation" : "no-room";
}

function both(within: (node: FleetNode) => boolean, may: MayUse | undefined): MayUse {
  return (node) => within(node) && may?.(node) !== false;
}

/** A seat on a node that the tenant has to itself already, the fullest first: another one would be paid for whole. */
function findOwn(
  state: State,
  { spec, account }: Pick<Job, "spec" | "account">,
  need: MemberNeed,
  plans: BesidePlans | undefined,
): Seat[] | undefined {
  if (spec.members.min > 1 || !isConfidential(state, account)) return undefined;
  const { fleet } = state;
  let best: FleetNode | undefined;
  for (const node of ownNodes(state, account)) {
    if (membersThatFit(fleet, node, need, "now", 1, plans) === 0) continue;
    const fuller = best === undefined ? -1 : fleet.nodeFreeGpus[node.no]! - fleet.nodeFreeGpus[best.no]!;
    if (fuller < 0 || (fuller === 0 && node.no < best!.no)) best = node;
  }
  return best === undefined ? undefined : [{ gpus: gpusForOne(fleet, best, need), node: best.no }];
}

function findWhole(
  fleet: Fleet,
  need: MemberNeed,
  spec: Pick<JobSpec, "members" | "topology" | "spread">,
  plans: BesidePlans | undefined,
  worth?: FleetWorth,
): Seat[] | undefined {
  const { min: members, apart } = spec.members;
  if (members === 1) {
    const node = leastMissed(fleet, need, plans, worth);
    return node === undefined ? undefined : [{ gpus: gpusForOne(fleet, node, need), node: node.no }];
  }
  const most = apart ? 1 : members;
  const together = apart || spec.spread !== undefined ? undefined : onOneNode(fleet, need, members, plans, worth);
  if (together !== undefined) return together;
  const spread = spreadGang(fleet, members, domainRoomFor(fleet, need, most, plans), spec);
  if (spread === undefined) return undefined;
  const seats: Seat[] = [];
  for (const [node, count] of spread)
    for (const gpus of gpusOn(fleet, node, need, count)) seats.push({ gpus, node: node.no });
  return seats;
}

/**
 * A gang on a single node, which is the fewest places at every level [P2]: of the nodes that hold it the one whose room is
 * missed least [P4], once it is known what room is worth.
 */
function onOneNode(
  fleet: Fleet,
  need: MemberNeed,
  members: number,
  plans: BesidePlans | undefined,
  worth: FleetWorth | undefined,
): Seat[] | undefined {
  const { model, gpus, cpusMilli, memoryMiB } = need;
  if (gpus === 0 || worth === undefined || model >= worth.models || gpus * members > fleet.freeMax(model))
    return undefined;
  const all = { ...need, gpus: gpus * members, cpusMilli: cpusMilli * members, memoryMiB: memoryMiB * members };
  const node = leastMissed(fleet, all, plans, worth);
  return node && gpusOn(fleet, node, need, members).map((each) => ({ node: node.no, gpus: each }));
}

/** Where members fit; kept by the fleet where it depends on the nodes alone. */
function domainRoomFor(fleet: Fleet, need: MemberNeed, most: number, plans: BesidePlans | undefined): DomainRoom {
  const fits = (node: FleetNode) => membersThatFit(fleet, node, need, "now", most, plans);
  if (plans !== undefined || need.mayUse !== undefined) return new DomainRoom(fleet, fits);
  return fleet.domainRoomFor(keyOf(need, most), fits);
}

/** So many nodes are weighed against each other; those with fewer free GPUs come first, and are seldom beaten. */
const nodesWeighed = 3;

/**
 * The node whose room is missed least [P4], of the first that fit by how many GPUs they have free, the fewest first. Of
 * equals, and while nobody knows what room is worth, the first of them.
 */
function leastMissed(
  fleet: Fleet,
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

/** So many nodes that fit are compared. */
const nodesCompared = 16;

/**
 * Of the first of these nodes that hold a member now, one where nothing must be scrubbed (S4); of those the one with the
 * fewest GPUs in the hands of the other class; then the lowest. Where work that may be taken back is not mixed with work
 * that may not, a guarantee that needs whole nodes finds some to take back [P4].
 */
function bestThatFits(
  fleet: Fleet,
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

function flawsOf(fleet: Fleet, node: FleetNode, need: MemberNeed): number {
  const { isClean, burst } = need;
  const scrub = isClean === undefined || gpusForOne(fleet, node, need).every(isClean) ? 0 : scrubFlaws;
  if (burst === undefined) return scrub;
  const covered = fleet.nodeCoveredGpus[node.no]!;
  const others = burst ? covered : node.facts.gpus.length - fleet.nodeFreeGpus[node.no]! - covered;
  return scrub + Math.max(0, others);
}

/** What the fleet would miss if a member went there. */
function pointsOn(fleet: Fleet, node: FleetNode, model: number, need: MemberNeed, worth: FleetWorth): number {
  let used = 0;
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++)
    if (fleet.gpuHeldFor[gpu] === 0) used += worth.usedOf(model, fleet.gpuFree[gpu]!);
  const { cpusMilli, gpus } = need;
  const whole = fleet.nodeFreeGpus[node.no]!;
  const usedTaken = gpus * worth.usedOf(model, unitsPerGpu);
  return worth.points(model, node.freeCpusMilli, used, whole, cpusMilli, usedTaken, gpus);
}

/** The lowest of these nodes, `from` one on, that holds a member now. */
export function firstThatFits(
  fleet: Fleet,
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

/** GPUs for one member on a node. */
function gpusForOne(fleet: Fleet, node: FleetNode, need: MemberNeed): GpuNo[] {
  if (need.gpus === 1 && need.isClean === undefined) return [firstOn(fleet, node, need)];
  return gpusOn(fleet, node, need, 1)[0]!;
}

/** GPUs for `count` members on one node, lowest first; those that need no scrub before others. */
function gpusOn(fleet: Fleet, node: FleetNode, need: MemberNeed, count: number): GpuNo[][] {
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
  if (count === 1) return [chosen.slice()]; // as long as it is, and no longer: it is kept
  return Array.from({ length: count }, (_, i) => chosen.slice(i * need.gpus, (i + 1) * need.gpus));
}

/** The lowest GPU of a node that serves; it is known that there is one. */
function firstOn(fleet: Fleet, { firstGpu }: FleetNode, need: MemberNeed): GpuNo {
  let gpu = firstGpu;
  while (!gpuServes(fleet, gpu, need, false)) gpu++;
  return gpu;
}
