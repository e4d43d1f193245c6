import type { NodeNo } from "../../model/ids.ts";
import { lostMs } from "../draft/victim.ts";
import { Site } from "../seats/site.ts";
import { type ClaimArea, goesByVictim } from "./areas.ts";
import type { LeastCost } from "./least-cost.ts";
import { firstOf } from "./next-victim.ts";
import { type ClaimSearch, evict } from "./search.ts";
import { takeForQuota } from "./take-for-quota.ts";
import { type VictimCost, victimCostFor } from "./victim-cost.ts";

/** Nodes for all members with their victims evicted on the draft, the cheapest first; undefined where there are too few. */
export function chooseSites(search: ClaimSearch, area: ClaimArea): Site[] | undefined {
  if (!takeForQuota(search)) return undefined;
  const { context, draft } = search;
  const { members } = context.claimant.job.spec;
  const sites = new Sites(search, area);
  for (let seated = 0; seated < members.min; seated++) {
    const best = cheapestSite(sites);
    if (best === undefined) return undefined;
    for (const victim of best.cost.victims) evict(search, victim);
    best.site.members++;
    sites.chosen.add(best.site);
  }
  // Where a victim is spared later, another victim's node may take its place.
  for (const { leases } of draft.victims.keys())
    for (const { node } of leases) if (area.has(node)) sites.chosen.add(sites.on(node));
  // Victims taken for a guarantee or for lending limits may leave the claimant seats that are free already.
  if (context.state.lendingLimits > 0)
    for (const no of area.listed) if (sites.on(no).fits([]) > 0) sites.chosen.add(sites.on(no));
  return [...sites.chosen].sort((a, b) => a.node.no - b.node.no);
}

/** The nodes that one search has examined, and those that it has chosen. */
class Sites {
  readonly search: ClaimSearch;
  readonly area: ClaimArea;
  readonly chosen = new Set<Site>();
  readonly #byNode = new Map<NodeNo, Site>();

  constructor(search: ClaimSearch, area: ClaimArea) {
    this.search = search;
    this.area = area;
  }

  on(no: NodeNo): Site {
    let site = this.#byNode.get(no);
    if (site === undefined) {
      const { state, need } = this.search.context;
      site = new Site(state.fleet, state.fleet.node(no), need);
      this.#byNode.set(no, site);
    }
    return site;
  }
}

/** One more member on a node, and the node's rank among equals. */
interface Choice {
  readonly site: Site;
  readonly cost: VictimCost;
  readonly rank: number;
}

/** The node on which one more member costs least. */
function cheapestSite(sites: Sites): Choice | undefined {
  const { search, area, chosen } = sites;
  const { context, draft } = search;
  const { members } = context.claimant.job.spec;
  const examined = new Set<NodeNo>();
  let best: Choice | undefined;
  const examine = (no: NodeNo): void => {
    if (examined.has(no)) return;
    examined.add(no);
    const site = sites.on(no);
    if (members.apart && chosen.has(site)) return;
    const cost = victimCostFor(search, site);
    if (cost === undefined) return;
    const choice = { site, cost, rank: area.rank(no) };
    if (best === undefined || isCheaper(search, choice, best)) best = choice;
  };
  for (const no of area.listed) examine(no);
  // The victims so far may leave room elsewhere too, and a node with one member may have room for another.
  for (const { leases } of draft.victims.keys()) for (const { node } of leases) if (area.has(node)) examine(node);
  for (const site of chosen) examine(site.node.no);
  for (const cost of area.cheapest()) {
    if (best !== undefined && !mayBeCheaper(search, area, cost, best)) break;
    examine(cost.node);
  }
  return best;
}

/** Whether a node with this least cost, or one after it, could be cheaper than the best so far. */
function mayBeCheaper(search: ClaimSearch, area: ClaimArea, least: LeastCost, best: Choice): boolean {
  return goesByVictim(search.context) ? mayLoseLess(search, least, best) : mayBeat(area, least, best);
}

function mayBeat(area: ClaimArea, least: LeastCost, { cost, rank }: Choice): boolean {
  if (cost.own > 0) return true;
  if (least.lost !== cost.lost) return least.lost < cost.lost;
  return least.victims !== cost.victims.length ? least.victims < cost.victims.length : area.rank(least.node) < rank;
}

/** Whether a victim on a node could go before the first victim of the best so far. */
function mayLoseLess({ context, offers }: ClaimSearch, least: LeastCost, { cost }: Choice): boolean {
  const [first] = cost.victims;
  if (first === undefined || cost.own > 0 || offers.ruleOf(first) !== "T1") return true;
  return least.leastMs <= lostMs(first, context.now);
}

function isCheaper(search: ClaimSearch, a: Choice, b: Choice): boolean {
  if (a.cost.own !== b.cost.own) return a.cost.own < b.cost.own;
  const [first, second] = [a.cost.victims[0], b.cost.victims[0]];
  if (goesByVictim(search.context) && first !== undefined && second !== undefined && first !== second) {
    return firstOf(search, [first, second]) === first;
  }
  if (a.cost.lost !== b.cost.lost) return a.cost.lost < b.cost.lost;
  const more = a.cost.victims.length - b.cost.victims.length;
  return more !== 0 ? more < 0 : a.rank < b.rank;
}
