import { limitHit } from "../gate/limits.ts";
import { moneyHit } from "../gate/money.ts";
import { type NodeNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { wishOf } from "../state/wish-of.ts";
import type { ClaimRequest } from "./claim-context.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import { EffortBudget } from "./effort-budget.ts";
import { hasProspects } from "./prospects.ts";
import { quickRebalance } from "./quick/rebalance.ts";
import { quickReclaim } from "./quick/reclaim.ts";
import { claimantsOf } from "./rules/claimants-of.ts";
import { Offers } from "./search/offers.ts";
import { type ClaimOption, planByOptions } from "./search/plan-options.ts";

/** Room for a job that found no free seats: complete, lawful, and with no victim that could be spared; or undefined [T6]. */
export function planClaim(
  state: ReadonlyState,
  job: Job,
  now: Instant,
  effort = new EffortBudget(state, now),
): ClaimPlan | undefined {
  // Room that must lie in different places is waited for, no job is taken for it [P7].
  if (job.spec.spread !== undefined && job.spec.members.min > 1) return undefined;
  const wish = wishOf(state, job);
  for (const { demand } of wish.options) if (limitHit(state, job, demand.units, now) !== undefined) return undefined;
  const request = { state, job, wish, now, effort };
  const quick = quickReclaim(request) ?? quickRebalance(request);
  if (quick === "none") return undefined;
  if (quick !== undefined && "seats" in quick) return quick;
  return searchClaim(request, quick?.nodes);
}

/** The same by the full search, over all nodes or only some. */
export function searchClaim(request: ClaimRequest, nodes?: readonly NodeNo[]): ClaimPlan | undefined {
  const { effort } = request;
  const options = optionsOf(request);
  if (options === undefined) return undefined;
  if (nodes !== undefined) return planByOptions(request, options, nodes);
  // Most jobs that wait can take no other, and are tried again and again.
  const empty = options.every(({ offers }) => offers.isEmpty());
  for (const { offers } of options) effort.spend(offers.examined);
  return empty ? undefined : planByOptions(request, options, nodes);
}

/** The alternatives of a job with the guarantees by which it may claim; undefined where none has prospects. */
function optionsOf({ state, job, wish, now, effort }: ClaimRequest): ClaimOption[] | undefined {
  const options: ClaimOption[] = [];
  let prospects = false;
  // While seats are being left, an option without prospects may show that no victim is needed.
  const all = state.fleet.nodesBeingLeft.size > 0;
  for (const option of wish.options) {
    for (const claimant of claimantsOf(state, job, option.demand, now)) {
      if (moneyHit(state, job, option, claimant.cover === noAccount, now) !== undefined) continue;
      const has = hasProspects(state, claimant, effort.highestShares);
      prospects ||= has;
      if (has || all) options.push({ option, claimant, offers: Offers.to(state, claimant, now) });
    }
  }
  return prospects ? options : undefined;
}
