import type { MayUse } from "../../fleet/fit.ts";
import { noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { must } from "../../model/must.ts";
import { isConfidential, leavingOn, nodesFor } from "../../place/dedicated.ts";
import { lacksSeatsAlone } from "../../place/place.ts";
import type { WishOption } from "../../state/indexes/wish.ts";
import { needFor } from "../../state/narrowing.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { ClaimContext, ClaimRequest } from "../claim-context.ts";
import type { ClaimPlan } from "../claim-plan.ts";
import { Draft } from "../draft/draft.ts";
import type { Claimant } from "../rules/claimant.ts";
import { covers } from "../rules/lawful.ts";
import { mayHoldWhole } from "../rules/whole-nodes.ts";
import { partNeedOf } from "../seats/part-seats.ts";
import type { Offers } from "./offers.ts";
import { planSeats } from "./plan-seats.ts";
import { type SeatPlan, takesOwn } from "./seat-plan.ts";
import { fewerVictims, onFreeSeats } from "./subset.ts";

/** One alternative of a job with one guarantee by which it may claim, and what that offers. */
export interface ClaimOption {
  readonly option: WishOption;
  readonly claimant: Claimant;
  readonly offers: Offers;
}

/** The plan of the first option that has one; a later alternative only if it takes no work of its own account [T4]. */
export function planByOptions(
  request: ClaimRequest,
  options: readonly ClaimOption[],
  nodes: ClaimContext["nodes"],
): ClaimPlan | undefined {
  const { state, job, now, effort } = request;
  const wholeNodes = isConfidential(state, job.account);
  const mayUse = nodesOnceLeft(state, job);
  let best: ClaimPlan | undefined;
  let done: WishOption | undefined;
  for (const each of options) {
    const { option, claimant, offers } = each;
    if (option === done || (wholeNodes && claimant.cover === noAccount)) continue;
    const { choice, model } = option;
    const need = { ...needFor(state, job, choice, model), mayUse, part: partNeedOf(state, job, choice) };
    const context = { state, claimant, need, now, effort, nodes };
    const found = planSeats(context, offers);
    if (found === undefined) continue;
    const plan = onFreeSeats(context, offers, choice, found);
    // It fits seats that are being left already, perhaps as another alternative: no victim is needed.
    if (plan.victims.size === 0) return wholeNodes ? undefined : planOnStopping(context, choice, plan);
    const cheapest = wholeNodes ? { claimant, plan } : withFewerVictims(context, options, each, plan);
    const { seats, victims } = cheapest.plan;
    if (wholeNodes && !mayHoldWhole(state, claimant, seats, victims)) continue;
    const { unitsEach } = job.spec.gpus[choice]!;
    const claim = { choice, cover: cheapest.claimant.cover, unitsEach, seats, victims };
    if (best === undefined || (takesOwn(best) && !takesOwn(claim))) best = claim;
    done = option;
  }
  return best;
}

/** The plan as it is, or with fewer victims by the first guarantee of the same alternative. */
function withFewerVictims(
  context: ClaimContext,
  options: readonly ClaimOption[],
  { option, claimant }: ClaimOption,
  plan: SeatPlan,
): { readonly claimant: Claimant; readonly plan: SeatPlan } {
  const first = must(
    options.find((each) => each.option === option),
    "an option is one of the options",
  );
  if (first.claimant === claimant) return { claimant, plan };
  const fewer = fewerVictims({ ...context, claimant: first.claimant, isOwed: true }, first.offers, plan);
  return fewer === undefined ? { claimant, plan } : { claimant: first.claimant, plan: fewer };
}

/** Nodes that a job may use once all stopping work has left. */
function nodesOnceLeft(state: ReadonlyState, job: Job): MayUse | undefined {
  const mayUse = nodesFor(state, job);
  if (mayUse === undefined || state.confidential === 0) return mayUse;
  return (node, going = []) => mayUse(node, [...going, ...leavingOn(state, node.no)]);
}

/**
 * T7: seats that stopping work leaves, held for a claimant that its guarantee covers. If they were not held, each of
 * many owners would wait for the same few seats, and no victims would be taken for the others. Undefined where the job
 * just waits.
 */
function planOnStopping(
  { state, claimant, need, now, effort }: ClaimContext,
  choice: number,
  { seats, victims }: SeatPlan,
): ClaimPlan | undefined {
  const { cover, job } = claimant;
  if (need.part !== undefined || cover === noAccount || !covers(new Draft(state, claimant))) return undefined;
  // A free seat that the job does not get is kept for a planned job [B2].
  if (need.gpus === 0 || !lacksSeatsAlone(state, job, now, effort.full)) return undefined;
  return { choice, cover, unitsEach: job.spec.gpus[choice]!.unitsEach, seats, victims };
}
