import { likelyRunMs } from "../learn/pace.ts";
import { quantileBeyond, thoughtMs } from "../learn/run-times.ts";
import { beginOf, type Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/**
 * The expected run time of a job in all [B1], by the first that is known: its `expected_time` or `max_time`; what jobs of
 * its user, account and name took; in an account that orders by length, what the account's jobs take.
 */
export function runMsOf(state: ReadonlyState, job: Job, ranMs: number): number | undefined {
  const { spec, usualMs } = job;
  const byPace = usualMs === undefined ? likelyRunMs(state, job, ranMs) : undefined;
  return byPace ?? thoughtMs(spec, usualMs, ranMs);
}

/** When a job that holds seats is expected to end; undefined = unknown. */
export type EndOf = (state: ReadonlyState, job: Job, now: Instant) => Instant | undefined;

/** The end of a job as plans expect it [B1]. */
export function endOf(state: ReadonlyState, job: Job, now: Instant): Instant | undefined {
  const begin = beginOf(job);
  const runsMs = runMsOf(state, job, Math.max(0, now - begin));
  return runsMs === undefined ? undefined : Math.max(now, begin + runsMs);
}

/**
 * The end of a job by a quantile of the past runs like it that took at least as long as it has run [W4]; never beyond its
 * `max_time`. Without such runs, the end as plans expect it.
 */
export function endAtQuantile(quantile: number): EndOf {
  if (!(quantile > 0 && quantile < 1)) throw new Error(`Bug: ${quantile} is not a quantile`);
  return (state, job, now) => {
    const begin = beginOf(job);
    const span = quantileBeyond(state.runTimes.of(job), Math.max(0, now - begin), quantile);
    if (span === undefined) return endOf(state, job, now);
    return Math.max(now, begin + Math.min(span, job.spec.maxTimeMs ?? span));
  };
}
