import { expected, type Job, type JobId } from "@tessera/core";
import type { JobOutlook, Job as WireJob } from "@tessera/wire";
import { startOf } from "../../flow/explain/explain.ts";
import { expectedEnd } from "../../render/expected-end.ts";
import { timestamp } from "../../render/quantities.ts";
import type { Api } from "../context.ts";

/** Each start is planned on the fleet as it is, so few are. */
const outlooksMax = 20;

/** The jobs of a page, the first of them with what is expected of them. */
export function withOutlooks(api: Api, jobs: readonly WireJob[]): Promise<WireJob[]> {
  return Promise.all(jobs.map((job, i) => (i < outlooksMax ? withOutlook(api, job) : job)));
}

/** A live job with when it is expected to start, or to end; others as they are. */
async function withOutlook({ control }: Api, job: WireJob): Promise<WireJob> {
  const live = control.state.jobById.get(job.id as JobId);
  if (live === undefined) return job;
  const now = control.now();
  if (live.state === "waiting")
    return { ...job, outlook: { start: await startOf(control, live, expected(control.state, live, now), job.reason) } };
  const end = endOf(control, live, now);
  return end === undefined ? job : { ...job, outlook: end };
}

function endOf({ state }: Api["control"], job: Job, now: number): JobOutlook | undefined {
  const end = expectedEnd(state, job, now);
  if (end === undefined) return undefined;
  const { ranMs, runMs, endsAt } = end;
  const { expectedMs, maxTimeMs } = job.spec;
  // What its file declares is taken as it is; anything else was learnt from the past.
  const basis = expectedMs !== undefined ? "expected_time" : runMs === maxTimeMs ? "max_time" : "run-times";
  const percent = Math.min(100, Math.floor((100 * ranMs) / Math.max(1, runMs)));
  return { endsAt: timestamp(endsAt), percent, basis };
}
