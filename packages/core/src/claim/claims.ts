import type { Event } from "../journal/event.ts";
import { type AccountNo, type JobNo, type LeaseId, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { Instant } from "../model/units.ts";
import type { Timeline } from "../plan/timeline.ts";
import { demandOf, modelOn } from "../quota/demand.ts";
import { stopJob, stopOrderOf } from "../run/stop.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import type { EffortBudget } from "./effort-budget.ts";
import { planClaim } from "./plan.ts";
import type { Rule } from "./rules/rule.ts";

/** Makes room for a job by evicting others, if the rules allow it. Returns the accounts that lose; undefined = no claim. */
export function claimFor(
  state: ReadonlyState,
  job: Job,
  now: Instant,
  effort: EffortBudget,
  timeline: () => Timeline,
  apply: (event: Event) => void,
): AccountNo[] | undefined {
  const plan = planClaim(state, job, now, effort);
  if (plan === undefined || !keepsPlans(state, job, plan, timeline)) return undefined;
  const { choice, cover, unitsEach, seats } = plan;
  const victims: JobNo[] = [];
  const shrinks: LeaseId[] = [];
  for (const { job: loser, leases, extra } of plan.victims.keys()) {
    if (extra) shrinks.push(leases[0]!.id);
    else victims.push(loser.no);
  }
  apply({
    kind: "job-claimed",
    v: 1,
    at: now,
    job: job.no,
    ...(cover !== noAccount && { cover }),
    choice,
    unitsEach,
    seats,
    victims,
    ...(shrinks.length > 0 && { shrinks }),
  });
  for (const [{ job: loser, leases, extra }, rule] of plan.victims) {
    const events = extra
      ? [shrink(state, loser, leases[0]!, now)]
      : stopJob(state, loser, "preempt", now, undefined, whyOf[rule]);
    for (const event of events) apply(event);
  }
  return [...plan.victims.keys()].map((victim) => victim.job.account);
}

/** B2: planned jobs that go before it in its own account must not start later because of its claim. */
function keepsPlans(state: ReadonlyState, job: Job, { choice, seats }: ClaimPlan, timeline: () => Timeline): boolean {
  if (state.planned.size === 0) return true;
  const demand = demandOf(state, job, choice, modelOn(state, seats));
  return timeline().backfill.mayClaim(job, demand, seats);
}

function shrink(state: ReadonlyState, job: Job, lease: Lease, now: Instant): Event {
  const order = stopOrderOf(job, "shrink", state.policy);
  return { kind: "lease-stopping", v: 1, at: now, lease: lease.id, sequence: 0, cause: "shrink", ...order };
}

/** For the user of an evicted job; names no other tenant. */
const whyOf: Readonly<Record<Rule, string>> = {
  T1: "the GPUs were borrowed, and the account they are guaranteed to needs them back",
  T2: "the GPUs were borrowed beyond your fair share, and an account with a smaller share needs them",
  T3: "a job of higher priority in the same account needs them",
  O3: "a job that goes before it in its account's order needs them; it goes on from its checkpoint when its turn comes",
};
