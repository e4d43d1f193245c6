import { admitJob } from "../admit/job.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { AccountNo, JobId, JobNo, UserId } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { reasonFor } from "../queue/explain.ts";
import type { Reason } from "../queue/reason.ts";
import { newJob } from "../state/apply-jobs.ts";
import type { State } from "../state/state.ts";
import { type Placement, placeJob } from "./place.ts";

/** What would become of a job if it were submitted now. Nothing changes. */
export function rehearse(
  state: State,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
  now: Instant,
): { readonly placement: Placement } | { readonly reason: Reason } | Refusal {
  const refusal = admitJob(state, account, user, spec);
  if (refusal !== undefined) return refusal;
  const what = { no: state.nextJob as JobNo, id: "job_rehearsal" as JobId, spec, account, user, submittedAt: now };
  const job: Job = newJob(what, 0);
  if (job.notBeforeAt > now) return { reason: reasonFor(state, job, now) };
  const placement = placeJob(state, job, now);
  return placement === undefined ? { reason: reasonFor(state, job, now) } : { placement };
}
