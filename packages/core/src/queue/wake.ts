import { mayInsist } from "../claim/prospects.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { isKnownFull } from "../place/known-full.ts";
import { accountOf, type State, tenantOf, upToDate } from "../state/state.ts";
import type { WaitingGroup } from "../state/waiting.ts";
import { mayBePlanned } from "../when/patience.ts";
import { plansMax } from "../when/timeline.ts";

/**
 * Groups that an event may have unblocked. Where many wait, these are: those for whom there may be free seats; those who
 * may have a guarantee to claim by; and every so often as many others as are given a turn to look whom they might take,
 * one after the other, so that a decision does not take longer the more wait.
 */
export function takeAwake(state: State, turns: number): WaitingGroup[] {
  const { waiting } = state;
  const fresh = waiting.takeFresh();
  for (const group of fresh) group.seatsOnly = false;
  const changed = waiting.takeChanged();
  const relieved = waiting.takeRelieved();
  if (!changed && !(waiting.hasTurns && turns > 0)) return fresh;
  if (!waiting.isLong) {
    waiting.endRound();
    for (const group of waiting.groups) group.seatsOnly = false;
    return [...waiting.groups];
  }
  const awake = new Set<WaitingGroup>();
  if (changed) for (const group of waiting.groups) if (mayStartOrPlan(state, group)) awake.add(group);
  for (const group of awake) group.seatsOnly = !group.insists;
  for (const group of [...fresh, ...claimants(state, relieved), ...waiting.takeTurns(turns)]) {
    group.seatsOnly = false;
    awake.add(group);
  }
  return [...awake];
}

/** Whether a group that is looked at for free seats only has none to hope for any more. */
export function isIdle(state: State, group: WaitingGroup): boolean {
  return group.seatsOnly && !mayStartOrPlan(state, group);
}

function mayStartOrPlan(state: State, group: WaitingGroup): boolean {
  const job = group.jobs[0]!;
  if (group.insists || !isKnownFull(state, upToDate(state, group.wish, job.spec), job.spec, job.account)) return true;
  return state.policy.backfill && state.planned.size < plansMax && isWhole(job.spec) && mayBePlanned(state, job);
}

/** Only starts on whole GPUs are planned. */
function isWhole({ gpus }: JobSpec): boolean {
  return gpus.some(({ count, part }) => count > 0 && part === undefined);
}

/** Those whom a guarantee of an account that holds less than before, or beside it, may hold now. */
function* claimants(state: State, relieved: ReadonlySet<AccountNo>): Generator<WaitingGroup> {
  const tenants = new Set<AccountNo>();
  for (const account of relieved) if (state.accounts[account] !== undefined) tenants.add(tenantOf(state, account).no);
  for (const tenant of tenants) yield* insistingBelow(state, tenant);
}

function* insistingBelow(state: State, account: AccountNo): Generator<WaitingGroup> {
  for (const group of state.waiting.ofAccount(account)) {
    const job = group.jobs[0]!;
    if (mayInsist(state, job, upToDate(state, group.wish, job.spec))) yield group;
  }
  for (const child of accountOf(state, account).children) yield* insistingBelow(state, child);
}
