import { isPlannable, mayStart } from "../gate/may-start.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { plansMax } from "../plan/patience.ts";
import type { EndOf } from "../plan/run-time.ts";
import { Timeline } from "../plan/timeline.ts";
import { Contest } from "../queue/contest.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import type { State } from "../state/state.ts";

// Those who cannot be planned cost a look each; beyond this many, whoever asks is not kept waiting for the rest.
const looksMax = 64;

/**
 * The plans that a job must not delay [B1, B2], made anew from the state alone: of those who have a place on the timeline,
 * then of others who wait, in their order, up to the job itself. A job that is not in the queue comes behind all of them.
 */
export function plansBefore(state: State, job: Job, now: Instant, ends?: EndOf): Timeline {
  const timeline = new Timeline(state, now, ends);
  if (!state.policy.backfill) return timeline;
  for (const ahead of state.planned) {
    if (ahead === job) return timeline;
    if (!isStopped(state, ahead, now)) timeline.plan(ahead);
  }
  const contest = new Contest(state).begin(state.waiting.groups);
  for (let look = 0; look < looksMax && timeline.plans.length < plansMax; look++) {
    const candidate = contest.next();
    if (candidate === undefined || candidate.group.jobs.includes(job)) return timeline;
    const first = candidate.group.jobs[0]!;
    if (!state.planned.has(first) && !isStopped(state, first, now)) timeline.plan(first);
    contest.close(candidate);
  }
  return timeline;
}

/** Whether something keeps a job from starting of which nobody can tell when it is over: such a job is not planned. */
export function isStopped(state: State, job: Job, now: Instant): boolean {
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      const stop = mayStart(state, job, choice, demandOf(state, job, choice, model), now);
      if (stop === undefined || isPlannable(stop)) return false;
    }
  }
  return true;
}
