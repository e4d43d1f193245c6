import type { NodeNo } from "../../model/ids.ts";
import { findSeats } from "../../place/seats.ts";
import type { ClaimContext } from "../claim-context.ts";
import { Draft } from "../draft/draft.ts";
import { Site } from "../seats/site.ts";
import type { ClaimArea } from "./areas.ts";
import type { Offers } from "./offers.ts";
import { evict } from "./search.ts";
import { compareCosts, type SeatPlan } from "./seat-plan.ts";
import { leastPlan } from "./spare.ts";

/** The victims of a plan that are needed for room on some nodes; undefined where all of them are not enough. */
function subsetOn(
  context: ClaimContext,
  offers: Offers,
  { victims }: SeatPlan,
  nodes: Iterable<NodeNo>,
): SeatPlan | undefined {
  const { state, need, claimant } = context;
  const search = { context, offers, draft: new Draft(state, claimant) };
  for (const victim of victims.keys()) {
    const same = offers.same(victim);
    if (same !== undefined) evict(search, same);
  }
  const each = [...new Set(nodes)].sort((a, b) => a - b);
  context.effort.spend(each.length);
  const sites = each.map((node) => new Site(state.fleet, state.fleet.node(node), need));
  return leastPlan(search, sites);
}

/**
 * The plan for one area, or a cheaper subset of its victims that is enough in another area. The order of T5 may lead to
 * one area though some members of an elastic job or a gang are in another.
 */
export function cheapestAcross(
  context: ClaimContext,
  offers: Offers,
  areas: readonly ClaimArea[],
  { plan, area }: { readonly plan: SeatPlan; readonly area: ClaimArea },
): SeatPlan {
  const outside = new Set<NodeNo>();
  for (const { leases } of plan.victims.keys()) for (const { node } of leases) if (!area.has(node)) outside.add(node);
  let least = plan;
  for (const other of outside.size === 0 ? [] : areas) {
    const here = [...outside].filter((node) => other.has(node));
    if (here.length === 0) continue;
    const subset = subsetOn(context, offers, plan, [...here, ...other.listed]);
    if (subset !== undefined && compareCosts(subset, least) < 0) least = subset;
  }
  return least;
}

/** The plan, or a cheaper subset of its victims where seats are free already and only quota is lacking [T5]. */
export function onFreeSeats(context: ClaimContext, offers: Offers, choice: number, plan: SeatPlan): SeatPlan {
  const { state, claimant, need } = context;
  if (plan.victims.size < 2 || need.part !== undefined) return plan;
  const free = findSeats(state, claimant.job, choice, need.model);
  if (typeof free === "string") return plan;
  const subset = subsetOn(context, offers, plan, nodesOf({ seats: free }));
  return subset !== undefined && compareCosts(subset, plan) < 0 ? subset : plan;
}

/**
 * A smaller subset of the victims of a plan that is lawful with another cover. Where work of its own account leaves so
 * that a guarantee holds the claimant, some of it may be spared if the rest can be taken without that guarantee [T5].
 */
export function fewerVictims(context: ClaimContext, offers: Offers, plan: SeatPlan): SeatPlan | undefined {
  const subset = subsetOn(context, offers, plan, nodesOf(plan));
  return subset === undefined || subset.victims.size >= plan.victims.size ? undefined : subset;
}

function nodesOf({ seats }: Pick<SeatPlan, "seats">): NodeNo[] {
  return seats.map(({ node }) => node);
}
