import { isPlannable, type QuotaStop, quotaStop } from "../gate/quota-stop.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { plansMax } from "../plan/eligibility.ts";
import type { EndOf } from "../plan/run-time.ts";
import { Timeline } from "../plan/timeline.ts";
import { Contest } from "../queue/contest.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

// Each job that cannot be planned costs a look; the limit keeps one question short.
const looksMax = 64;

/**
 * The plans that a job must not delay [B1, B2], made from the state alone: first the planned jobs, then other waiting
 * jobs in queue order, up to the job itself. A job that is not in the queue comes behind all of them.
 */
export function plansBefore(state: ReadonlyState, job: Job, now: Instant, ends?: EndOf): Timeline {
  return plansUpTo(state, job, now, ends);
}

/** The plans of all waiting jobs, as far as starts are planned at once [B1]. */
export function allPlans(state: ReadonlyState, now: Instant): Timeline {
  return plansUpTo(state, undefined, now);
}

function plansUpTo(state: ReadonlyState, job: Job | undefined, now: Instant, ends?: EndOf): Timeline {
  const timeline = new Timeline(state, now, ends);
  if (!state.policy.backfill) return timeline;
  for (const ahead of state.planned) {
    if (ahead === job) return timeline;
    if (stopOf(state, ahead, now) === undefined) timeline.plan(ahead);
  }
  const contest = new Contest(state).begin(state.waiting.groups);
  for (let look = 0; look < looksMax && timeline.plans.length < plansMax; look++) {
    const candidate = contest.next();
    if (candidate === undefined || (job !== undefined && candidate.group.jobs.includes(job))) return timeline;
    const first = candidate.group.jobs[0]!;
    if (!state.planned.has(first) && stopOf(state, first, now) === undefined) timeline.plan(first);
    contest.close(candidate);
  }
  return timeline;
}

/** The limit or the money that stops a job for an unknown time: such a job is not planned. */
export function stopOf(state: ReadonlyState, job: Job, now: Instant): QuotaStop | undefined {
  let first: QuotaStop | undefined;
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      const stop = quotaStop(state, { job, choice, demand: demandOf(state, job, choice, model), now });
      if (stop === undefined || isPlannable(stop)) return undefined;
      first ??= stop;
    }
  }
  return first;
}
