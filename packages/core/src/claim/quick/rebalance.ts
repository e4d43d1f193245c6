import { type AccountNo, type NodeNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { nodesFor } from "../../place/dedicated.ts";
import { ceilingHit } from "../../quota/ceiling.ts";
import { coverFor } from "../../quota/guarantee.ts";
import { stayingOf } from "../../quota/held.ts";
import { needFor, nodesAmong } from "../../state/narrowing.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { ClaimRequest } from "../claim-context.ts";
import type { ClaimPlan } from "../claim-plan.ts";
import { mayTakeOwn } from "../rules/own-account.ts";
import { pathOf } from "../rules/sides.ts";
import { partNeedOf } from "../seats/part-seats.ts";
import { type ClaimNeed, Site } from "../seats/site.ts";
import { hasFreeSeat } from "./free-seat.ts";
import { ShareSearch } from "./share-search.ts";

/** A plan; `none` = no victim may be taken; or the nodes on which several victims together might make room. */
export type QuickAnswer = ClaimPlan | "none" | { readonly nodes: readonly NodeNo[] };

/**
 * One victim for a job of at most one GPU that could take only by fair share [T2]: in the side with the largest share,
 * down the tree; in one account by T5. Whether a side can spare a victim is judged once for all jobs of a class, so that
 * most jobs that wait on a full fleet get `none` at once. Undefined where the full search must decide.
 */
export function quickRebalance(request: ClaimRequest): QuickAnswer | undefined {
  const { state, job, wish, now, effort } = request;
  const { spec, account } = job;
  const [option, other] = wish.options;
  if (option === undefined || other !== undefined || !isPlain(state, job)) return undefined;
  const { choice, demand } = option;
  const { count, unitsEach } = spec.gpus[choice]!;
  if (count > 1) return undefined;
  const staying = ({ no }: { readonly no: AccountNo }) => stayingOf(state, no);
  if (coverFor(state, account, demand, staying) !== noAccount) return undefined;
  if (ceilingHit(state, account, demand, staying) !== undefined) return undefined;
  if (nodesFor(state, job) !== undefined || nodesAmong(state, account, spec) !== undefined) return undefined;
  if (hasFreeSeat(state, job, wish, option, effort.full)) return "none";
  const need = { ...needFor(state, job, choice, option.model), part: partNeedOf(state, job, choice) };
  if (fitsWhatIsLeft(request, need)) return "none";
  const claimant = { job, demand, cover: noAccount, path: pathOf(state, account) };
  const search = new ShareSearch(state, claimant, need, now);
  const found = search.run();
  effort.spend(search.examined);
  if (search.isOpen) return undefined;
  if (found === undefined) return search.nodes.size === 0 ? "none" : { nodes: [...search.nodes] };
  const { site, victim } = found;
  site.members = 1;
  return { choice, cover: noAccount, unitsEach, seats: site.seats([victim]), victims: new Map([[victim, "T2"]]) };
}

/** Whether only the usage of sides decides which victims the job may take. */
function isPlain(state: ReadonlyState, job: Job): boolean {
  const { members, topology, preemptible } = job.spec;
  if (members.min !== 1 || topology !== undefined || !preemptible || state.policy.rebalance === "off") return false;
  return state.elastic.size + state.confidential + state.lendingLimits === 0 && !mayTakeOwn(state, job);
}

/** Whether the job fits seats that stopping work leaves: then no victim is needed. */
function fitsWhatIsLeft({ state: { fleet }, effort }: ClaimRequest, need: ClaimNeed): boolean {
  const left = need.gpus === 1 && need.part === undefined ? fleet.nodesToHave : fleet.nodesBeingLeft;
  for (let no = left.next(0); no >= 0; no = left.next(no + 1)) {
    effort.spend();
    if (new Site(fleet, fleet.node(no as NodeNo), need).fits([]) > 0) return true;
  }
  return false;
}
