import { type AttemptRecord, attemptOf, type Job, type JobEnded, type ReadonlyState } from "@tessera/core";
import type { Job as WireJob } from "@tessera/wire";
import { endedArrayDoc, endedJobDoc, pastAttempt } from "../../render/job.ts";
import type { EndedJobRow } from "../../store/port.ts";

/** How an ended job is remembered; with the last element of an array, the array too. The state is the one before. */
export function endedJobRows(state: ReadonlyState, event: JobEnded): EndedJobRow[] {
  const job = state.jobs.get(event.job)!;
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  const attempts = attemptsOf(job, event).map((attempt) => pastAttempt(state, job, attempt));
  const rows = [rowOf(job, event, endedJobDoc(state, job, event, attempts), array?.id ?? null)];
  if (array?.live === 1) rows.push(rowOf(array, event, endedArrayDoc(state, array, event), null));
  return rows;
}

function rowOf(job: Pick<Job, "submittedAt">, event: JobEnded, doc: WireJob, arrayId: string | null): EndedJobRow {
  return {
    id: doc.id,
    account: doc.project,
    user: doc.user,
    name: doc.name,
    arrayId,
    submittedAt: job.submittedAt,
    endedAt: event.at,
    outcome: doc.outcome!,
    exitCode: doc.exitCode ?? null,
    gpus: doc.gpus,
    priority: doc.priority,
    startedAt: doc.startedAt === undefined ? null : Date.parse(doc.startedAt),
    ranUntil: Date.parse(doc.endedAt!),
    doc: JSON.stringify(doc),
  };
}

/** Earlier attempts, and the last one where it was placed at all. */
function attemptsOf(job: Job, event: JobEnded): AttemptRecord[] {
  return job.seats.length === 0
    ? job.attempts
    : [...job.attempts, attemptOf(job, event.ranUntil ?? event.at, event.outcome)];
}
