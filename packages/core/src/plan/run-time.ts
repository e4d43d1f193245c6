import { likelyRunMs } from "../learn/pace.ts";
import { quantileBeyond, thoughtMs } from "../learn/run-times.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";

/**
 * How long a job runs in all, as far as it can be told [B1]: its limit or its guess; else what those of its user, account
 * and name took; else, where its account lets the shorter go first, what its jobs take.
 */
export function runMsOf(state: State, job: Job, ranMs: number): number | undefined {
  const { spec, usualMs } = job;
  const byPace = usualMs === undefined ? likelyRunMs(state, job, ranMs) : undefined;
  return byPace ?? thoughtMs(spec, usualMs, ranMs);
}

/** When a job that holds seats is taken to be gone; undefined = nobody can tell. */
export type EndOf = (state: State, job: Job, now: Instant) => Instant | undefined;

/** When a job that holds seats is taken to be gone by plans [B1]. */
export function endOf(state: State, job: Job, now: Instant): Instant | undefined {
  const begin = beginOf(job);
  const runsMs = runMsOf(state, job, Math.max(0, now - begin));
  return runsMs === undefined ? undefined : Math.max(now, begin + runsMs);
}

/**
 * When a job that holds seats is gone if it goes as with this part of those like it that ran as long [W4]; a limit is
 * never exceeded. As plans take it where nothing is known of its like.
 */
export function endAtQuantile(part: number): EndOf {
  return (state, job, now) => {
    const begin = beginOf(job);
    const span = quantileBeyond(state.runTimes.of(job), Math.max(0, now - begin), part);
    if (span === undefined) return endOf(state, job, now);
    return begin + Math.min(span, job.spec.maxTimeMs ?? span);
  };
}

function beginOf({ startedAt, placedAt }: Job): Instant {
  return startedAt > 0 ? startedAt : placedAt;
}
