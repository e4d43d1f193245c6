import type { Level } from "../../fleet/topology.ts";
import { type NodeNo, noAccount, rootAccount } from "../../model/ids.ts";
import { unitsPerGpu } from "../../model/units.ts";
import { firstThatFits } from "../../place/best-node.ts";
import { isWithin } from "../../quota/guarantee.ts";
import { stayingOf } from "../../quota/held.ts";
import type { ClaimContext } from "../claim-context.ts";
import { Site } from "../seats/site.ts";
import { leastLost } from "./area-costs.ts";
import type { LeastCost } from "./least-cost.ts";
import type { LeastCostOrder } from "./least-costs.ts";
import type { Offers } from "./offers.ts";

/** The nodes among which a claim searches, in order of the least that they cost. */
export interface ClaimArea {
  /** The least that room for all members costs: work lost. */
  readonly lost: number;
  /** Nodes that must be examined, whatever they cost. */
  readonly listed: readonly NodeNo[];
  /** The others, the cheapest first. */
  cheapest(): Iterable<LeastCost>;
  /** Whether a node is in the area and takes work. */
  has(node: NodeNo): boolean;
  /** Of nodes that cost the same the lowest goes first. */
  rank(node: NodeNo): number;
}

/** T5: where any GPU will do, the order of victims decides; where a shape is needed, the node that loses the least work. */
export function goesByVictim({ need, claimant }: ClaimContext): boolean {
  const { min, apart } = claimant.job.spec.members;
  return need.gpus <= 1 && (min === 1 || !apart);
}

function costOrderOf(context: ClaimContext): LeastCostOrder {
  if (goesByVictim(context)) return "by-victim";
  const { members } = context.claimant.job.spec;
  return members.min === 1 && mayTakeAllBurst(context) ? "by-node-all-burst" : "by-node";
}

/** Whether all burst work is outside the guarantee that the claimant claims by, in accounts that may lose it [T1, T5]. */
function mayTakeAllBurst({ state, claimant: { cover } }: ClaimContext): boolean {
  if (cover === noAccount || state.elastic.size > 0 || state.usage[cover]!.burst > 0) return false;
  for (const account of state.accounts) {
    if (account === undefined || account.no === rootAccount || state.usage[account.no]!.burst === 0) continue;
    const staying = stayingOf(state, account.no);
    if (staying.cpusMilli + staying.units > 0 && isWithin(state, account, staying)) return false;
  }
  return true;
}

export function wholeFleet(context: ClaimContext, offers: Offers): ClaimArea {
  const { fleet } = context.state;
  const costs = offers.floors ? context.effort.costsOf(context.need, costOrderOf(context)) : undefined;
  const byCost = costs === undefined && context.nodes === undefined && isWholeOnOneNode(context);
  return {
    lost: 0,
    listed:
      costs === undefined
        ? nodesInQuestion(context, byCost ? undefined : offers)
        : upOf(context, offers.coveredNodes()),
    cheapest: () => (byCost ? cheapestTakeable(context, offers) : (costs?.cheapest() ?? [])),
    has: (node) => fleet.nodes[node]?.mode === "up",
    rank: (node) => node,
  };
}

/** Each domain of a level in which all members might find room. */
export function areasFor(context: ClaimContext, offers: Offers, level: Level): ClaimArea[] {
  const costs = offers.floors ? context.effort.costsOf(context.need, "by-node") : undefined;
  const listed = new Set(costs === undefined ? nodesInQuestion(context, offers) : upOf(context, offers.coveredNodes()));
  const areas: ClaimArea[] = [];
  const all = context.state.fleet.topology.nodesAt(level);
  const { members } = context.claimant.job.spec;
  const known = costs?.inAreas(level, all, members);
  for (const [at, nodes] of all.entries()) {
    const here = listed.size === 0 ? [] : [...nodes.keys()].filter((node) => listed.has(node));
    const others = (): LeastCost[] => costs?.among(nodes.keys()).filter(({ node }) => !listed.has(node)) ?? [];
    const lost =
      here.length === 0 && known !== undefined ? known.lostIn(at) : leastLost(members, here.length, others());
    if (lost < Number.POSITIVE_INFINITY) areas.push(areaOf(context, nodes, here, lost, others));
  }
  return areas;
}

function areaOf(
  context: ClaimContext,
  nodes: ReadonlyMap<NodeNo, number>,
  listed: readonly NodeNo[],
  lost: number,
  others: () => LeastCost[],
): ClaimArea {
  const { fleet } = context.state;
  const rank = (node: NodeNo) => nodes.get(node)!;
  let sorted: readonly LeastCost[] | undefined;
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

/** Whether the claimant asks for several whole GPUs of one node, and no more. */
function isWholeOnOneNode({ need, claimant }: ClaimContext): boolean {
  return need.gpus > 1 && need.part === undefined && claimant.job.spec.members.min === 1;
}

/** Nodes on which takeable work holds enough, with the least that room costs there, the cheapest first. */
function cheapestTakeable({ state, need }: ClaimContext, offers: Offers): LeastCost[] {
  const costs: LeastCost[] = [];
  for (const [node, { gpus, leastMs }] of offers.takeableOn()) {
    const missing = Math.max(0, need.gpus - state.fleet.nodeFreeGpus[node]!);
    if (gpus < missing || state.fleet.nodes[node]?.mode !== "up") continue;
    const lost = leastMs * missing;
    costs.push({ node, lost, part: lost, victims: 1, leastMs });
  }
  return costs.sort((a, b) => a.lost - b.lost || a.node - b.node);
}

/** Nodes where a GPU is free, or will be without an eviction, or where some of these offers hold seats. */
function nodesInQuestion(context: ClaimContext, offers?: Offers): readonly NodeNo[] {
  if (context.nodes !== undefined) return context.nodes;
  const { fleet } = context.state;
  const { model, gpus } = context.need;
  const found = new Set<NodeNo>();
  if (gpus === 0 && context.claimant.job.spec.members.min > 1) {
    for (const node of fleet.nodes) if (node !== undefined) found.add(node.no);
    return upOf(context, found);
  }
  for (const node of offers?.takeableOn().keys() ?? []) found.add(node);
  const add = (set: { next(from: number): number } | undefined): void => {
    for (let no = set?.next(0) ?? -1; no >= 0; no = set!.next(no + 1)) found.add(no as NodeNo);
  };
  if (context.claimant.job.spec.members.min > 1) {
    for (let free = 1; free <= fleet.freeMax(model); free++) add(fleet.nodesWith(model, free));
  } else {
    // Without an eviction one member needs all its GPUs free; of such nodes the lowest will do.
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

/** Adds nodes on which a GPU in use by parts has room for another; for one member the first such node is enough. */
function addNodesWithParts({ state: { fleet }, need, claimant, effort }: ClaimContext, found: Set<NodeNo>): void {
  if (need.part === undefined) return;
  const examined = new Set(found);
  const least = fleet.leastOf(need.part.ask.compute, need.model);
  for (let free = Math.floor(least / 1_000); free <= unitsPerGpu / 1_000; free++) {
    const gpus = fleet.shared.gpusWith(need.model, free);
    for (let gpu = gpus?.next(0) ?? -1; gpu >= 0; gpu = gpus!.next(gpu + 1)) {
      const node = fleet.node(fleet.gpuNode[gpu]! as NodeNo);
      if (node.mode !== "up" || examined.has(node.no)) continue;
      examined.add(node.no);
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
