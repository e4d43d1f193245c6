import type { Level } from "../fleet/topology.ts";
import { type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import { unitsPerGpu } from "../model/units.ts";
import { firstThatFits } from "../place/best-node.ts";
import { isWithin } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { Cost } from "./cost.ts";
import type { CostKind } from "./costs.ts";
import type { Offers } from "./offers.ts";
import { leastLost } from "./place-costs.ts";
import { Site } from "./site.ts";

/** Where a plan may put members: some nodes, those on which it can hope for room in order of what they cost at least. */
export interface Place {
  /** What room for all members costs at least: work lost. */
  readonly lost: number;
  /** Nodes that must be looked at, whatever they cost. */
  readonly listed: readonly NodeNo[];
  /** The others, from the cheapest on. */
  cheapest(): Iterable<Cost>;
  /** Nodes that take work. */
  has(node: NodeNo): boolean;
  /** Of nodes that cost the same the lowest goes first. */
  rank(node: NodeNo): number;
}

/** Where any GPU will do, who leaves decides; where a shape is needed, the place that costs least work [T5]. */
export function goesByVictim({ need, claimant }: ClaimContext): boolean {
  const { min, apart } = claimant.job.spec.members;
  return need.gpus <= 1 && (min === 1 || !apart);
}

function costKindOf(context: ClaimContext): CostKind {
  if (goesByVictim(context)) return "who";
  const { members } = context.claimant.job.spec;
  return members.min === 1 && mayTakeEveryone(context) ? "where-everyone" : "where";
}

/** Whether all burst work is outside the guarantee that a claimant stands on, and of accounts that may lose it. */
function mayTakeEveryone({ state, claimant: { cover } }: ClaimContext): boolean {
  if (cover === noAccount || state.elastic.size > 0 || state.usage[cover]!.burst > 0) return false;
  for (const account of state.accounts) {
    if (account === undefined || account.no === rootAccount || state.usage[account.no]!.burst === 0) continue;
    const staying = stayingOf(state, account.no);
    if (staying.cpusMilli + staying.units > 0 && isWithin(state, account, staying)) return false;
  }
  return true;
}

/** The whole fleet. */
export function anywhere(context: ClaimContext, offers: Offers): Place {
  const { fleet } = context.state;
  const costs = offers.floors ? context.effort.costsOf(context.need, costKindOf(context)) : undefined;
  const byCost = costs === undefined && context.nodes === undefined && isWholeOnOneNode(context);
  return {
    lost: 0,
    listed:
      costs === undefined
        ? nodesInQuestion(context, byCost ? undefined : offers)
        : upOf(context, offers.coveredNodes()),
    cheapest: () => (byCost ? cheapestYielding(context, offers) : (costs?.cheapest() ?? [])),
    has: (node) => fleet.nodes[node]?.mode === "up",
    rank: (node) => node,
  };
}

/** Each place of a level in which all members might find room. */
export function placesFor(context: ClaimContext, offers: Offers, level: Level): Place[] {
  const costs = offers.floors ? context.effort.costsOf(context.need, "where") : undefined;
  const listed = new Set(costs === undefined ? nodesInQuestion(context, offers) : upOf(context, offers.coveredNodes()));
  const places: Place[] = [];
  const all = context.state.fleet.topology.nodesAt(level);
  const { members } = context.claimant.job.spec;
  const kept = costs?.inPlaces(level, all, members);
  for (const [at, nodes] of all.entries()) {
    const here = listed.size === 0 ? [] : [...nodes.keys()].filter((node) => listed.has(node));
    const others = (): Cost[] => costs?.among(nodes.keys()).filter(({ node }) => !listed.has(node)) ?? [];
    const lost = here.length === 0 && kept !== undefined ? kept.lostIn(at) : leastLost(members, here.length, others());
    if (lost < Number.POSITIVE_INFINITY) places.push(placeOf(context, nodes, here, lost, others));
  }
  return places;
}

function placeOf(
  context: ClaimContext,
  nodes: ReadonlyMap<NodeNo, number>,
  listed: readonly NodeNo[],
  lost: number,
  others: () => Cost[],
): Place {
  const { fleet } = context.state;
  const rank = (node: NodeNo) => nodes.get(node)!;
  let sorted: readonly Cost[] | undefined;
  const sort = () =>
    goesByVictim(context)
      ? others().sort((a, b) => a.leastMs - b.leastMs)
      : others().sort((a, b) => a.lost - b.lost || a.victims - b.victims || rank(a.node) - rank(b.node));
  return {
    lost,
    listed,
    cheapest: () => {
      sorted ??= sort();
      return sorted;
    },
    has: (node) => nodes.has(node) && fleet.nodes[node]?.mode === "up",
    rank,
  };
}

/** Whether all that is asked for is several whole GPUs of one node. */
function isWholeOnOneNode({ need, claimant }: ClaimContext): boolean {
  return need.gpus > 1 && need.part === undefined && claimant.job.spec.members.min === 1;
}

/** Nodes on which those who yield hold enough, and what room costs there at least, from the cheapest on. */
function cheapestYielding({ state, need }: ClaimContext, offers: Offers): Cost[] {
  const costs: Cost[] = [];
  for (const [node, { gpus, leastMs }] of offers.yieldingOn()) {
    const missing = Math.max(0, need.gpus - state.fleet.nodeFreeGpus[node]!);
    if (gpus < missing || state.fleet.nodes[node]?.mode !== "up") continue;
    const lost = leastMs * missing;
    costs.push({ node, lost, part: lost, victims: 1, leastMs });
  }
  return costs.sort((a, b) => a.lost - b.lost || a.node - b.node);
}

/** Where a GPU is free, or will be without anyone being asked to leave, or someone of these offers can be taken. */
function nodesInQuestion(context: ClaimContext, offers?: Offers): readonly NodeNo[] {
  if (context.nodes !== undefined) return context.nodes;
  const { fleet } = context.state;
  const { model, gpus } = context.need;
  const found = new Set<NodeNo>();
  if (gpus === 0 && context.claimant.job.spec.members.min > 1) {
    for (const node of fleet.nodes) if (node !== undefined) found.add(node.no);
    return upOf(context, found);
  }
  for (const node of offers?.yieldingOn().keys() ?? []) found.add(node);
  const add = (set: { next(from: number): number } | undefined): void => {
    for (let no = set?.next(0) ?? -1; no >= 0; no = set!.next(no + 1)) found.add(no as NodeNo);
  };
  if (context.claimant.job.spec.members.min > 1) {
    for (let free = 1; free <= fleet.freeMax(model); free++) add(fleet.nodesWith(model, free));
  } else {
    // Where nobody leaves, one member needs all its GPUs free; of such nodes the lowest will do.
    for (const each of model < 0 ? fleet.models.keys() : [model]) {
      for (let free = gpus; free <= fleet.freeMax(each); free++) {
        const no = firstThatFits(fleet, fleet.nodesWith(each, free), context.need)?.no;
        if (no !== undefined) found.add(no);
      }
    }
  }
  add(fleet.oddNodes);
  add(fleet.nodesBeingLeft);
  addNodesWithParts(context, found);
  return upOf(context, found);
}

/** Where a GPU that is in use by parts has another left; for one member one such node will do. */
function addNodesWithParts({ state: { fleet }, need, claimant, effort }: ClaimContext, found: Set<NodeNo>): void {
  if (need.part === undefined) return;
  const looked = new Set(found);
  for (let free = Math.floor(need.part.ask.compute / 1_000); free <= unitsPerGpu / 1_000; free++) {
    const gpus = fleet.shared.gpusWith(need.model, free);
    for (let gpu = gpus?.next(0) ?? -1; gpu >= 0; gpu = gpus!.next(gpu + 1)) {
      const node = fleet.node(fleet.gpuNode[gpu]! as NodeNo);
      if (node.mode !== "up" || looked.has(node.no)) continue;
      looked.add(node.no);
      effort.spend();
      if (new Site(fleet, node, need).fits([]) === 0) continue;
      found.add(node.no);
      if (claimant.job.spec.members.min === 1) return;
    }
  }
}

function upOf({ state }: ClaimContext, nodes: Iterable<NodeNo>): NodeNo[] {
  return [...nodes].filter((no) => state.fleet.nodes[no]?.mode === "up");
}
