import { admitJob } from "../admit/job.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { AccountNo, JobId, JobNo, UserId } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isArrayFull } from "../schedule/array-limit.ts";
import { foreknown, newJob } from "../state/apply/new-job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { type Outlook, outlookOf, plannedFor } from "./outlook.ts";
import type { Reason } from "./reason.ts";
import { reasonFor } from "./reason-for.ts";

/** The outlook of a job, and why it does not start at once. */
export interface Rehearsal {
  readonly job: Job;
  readonly outlook: Outlook;
  /** Absent if the job would start now. */
  readonly reason?: Reason;
}

/** The outlook of a job as if it were submitted now [W1]; `waitsFor` live jobs must end first. Changes nothing. */
export function rehearse(
  state: ReadonlyState,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
  now: Instant,
  waitsFor = 0,
): Rehearsal | Refusal {
  const refusal = admitJob(state, account, user, spec);
  if (refusal !== undefined) return refusal;
  const submission = { spec, account, user, at: now };
  const [no, id] = [state.nextJob as JobNo, "job_rehearsal" as JobId];
  const job = newJob(submission, waitsFor, no, id, undefined, undefined, foreknown(state, submission));
  const outlook = expected(state, job, now);
  return outlook.when === "now" ? { job, outlook } : { job, outlook, reason: reasonFor(state, job, now) };
}

/** The outlook of a waiting job, including jobs that may not start yet whatever is free. */
export function expected(state: ReadonlyState, job: Job, now: Instant): Outlook {
  if (job.held) return { when: "unknown", why: "it is held" };
  if (job.waitsFor > 0) return { when: "unknown", why: "it waits for other jobs to end" };
  // A job with a claim counts as an element that is about to start.
  if (job.claim === undefined && isArrayFull(state, job))
    return { when: "unknown", why: "its array already runs as many elements as it may" };
  return job.notBeforeAt > now ? plannedFor(state, job, now) : outlookOf(state, job, now);
}
