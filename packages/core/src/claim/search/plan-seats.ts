import { noAccount } from "../../model/ids.ts";
import type { ClaimContext } from "../claim-context.ts";
import { Draft } from "../draft/draft.ts";
import { covers } from "../rules/lawful.ts";
import { isOwn } from "../rules/rule.ts";
import { areasFor, type ClaimArea, wholeFleet } from "./areas.ts";
import { chooseSites } from "./choose-sites.ts";
import type { Offers } from "./offers.ts";
import type { ClaimSearch } from "./search.ts";
import { compareCosts, type SeatPlan, takesOwn } from "./seat-plan.ts";
import { leastPlan } from "./spare.ts";
import { cheapestAcross } from "./subset.ts";

/** After this many tries without the first victim a search gives up. */
const triesMax = 8;

/**
 * The cheapest lawful plan for a claimant. Where work of its own account would have to leave so that its guarantee holds
 * it, first without the guarantee.
 */
export function planSeats(context: ClaimContext, offers: Offers): SeatPlan | undefined {
  const { state, claimant } = context;
  if (claimant.cover !== noAccount && claimant.job.spec.preemptible && !covers(new Draft(state, claimant))) {
    const burst = { ...context, claimant: { ...claimant, cover: noAccount } };
    const plan = planByTopology(burst, offers.withoutFloors());
    if (plan !== undefined) return plan;
  }
  return planByTopology(context, offers);
}

function planByTopology(context: ClaimContext, offers: Offers): SeatPlan | undefined {
  const { topology } = context.claimant.job.spec;
  if (topology !== undefined) {
    const plan = cheapestOf(context, offers, areasFor(context, offers, topology.level));
    if (plan !== undefined || topology.required) return plan;
  }
  return planIn(context, offers, wholeFleet(context, offers));
}

/** The cheapest of the plans for several areas; of equals that of the first area. */
function cheapestOf(context: ClaimContext, offers: Offers, areas: readonly ClaimArea[]): SeatPlan | undefined {
  let best: { readonly plan: SeatPlan; readonly rank: number; readonly area: ClaimArea } | undefined;
  // Areas with the lowest bound come first, so that most others are passed over without a plan.
  const order = [...areas.entries()].sort(([, a], [, b]) => a.lost - b.lost);
  for (const [rank, area] of order) {
    if (best !== undefined && !takesOwn(best.plan) && area.lost > best.plan.lost) break;
    const plan = planIn(context, offers, area);
    if (plan === undefined) continue;
    const cost = best === undefined ? -1 : compareCosts(plan, best.plan) || rank - best.rank;
    if (cost < 0) best = { plan, rank, area };
  }
  return best && cheapestAcross(context, offers, areas, best);
}

/**
 * A plan in one area. Where a rule forbids the victims to which the order of T5 leads, or work of the claimant's own
 * account would have to leave beside them [T4], the search is repeated without the first victim.
 */
function planIn(context: ClaimContext, offers: Offers, area: ClaimArea): SeatPlan | undefined {
  let left = offers;
  let best: SeatPlan | undefined;
  for (let tries = 0; tries < triesMax; tries++) {
    const search: ClaimSearch = { context, offers: left, draft: new Draft(context.state, context.claimant) };
    const sites = chooseSites(search, area);
    const plan = sites === undefined ? undefined : leastPlan(search, sites);
    if (plan !== undefined && !takesOwn(plan)) return plan;
    best ??= plan;
    const { first } = search.draft;
    if (first === undefined || (plan !== undefined && isOwn(left.ruleOf(first)))) return best;
    left = left.without(first);
  }
  return best;
}
