import { beginOf, type Instant, type Job, type ReadonlyState, runMsOf } from "@tessera/core";

/** How long a job that holds GPUs has run, and how long it is expected to run in all; an end that is overdue is now. */
export interface ExpectedEnd {
  readonly ranMs: number;
  readonly runMs: number;
  readonly endsAt: Instant;
}

/** Undefined where neither its file nor the past says how long it runs. */
export function expectedEnd(state: ReadonlyState, job: Job, now: Instant): ExpectedEnd | undefined {
  const begin = beginOf(job);
  const ranMs = Math.max(0, now - begin);
  const runMs = runMsOf(state, job, ranMs);
  return runMs === undefined ? undefined : { ranMs, runMs, endsAt: Math.max(now, begin + runMs) };
}
