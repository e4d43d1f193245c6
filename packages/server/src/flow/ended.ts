import { type AttemptRecord, attemptOf, type Job, type JobEnded, leaseIdOf, type State } from "@tessera/core";
import type { Job as WireJob } from "@tessera/wire";
import { timestamp } from "../api/quantities.ts";
import { endedArrayDoc, endedJobDoc, type PastAttempt } from "../api/render.ts";
import type { EndedJobRow } from "../store/port.ts";

/** How an ended job is remembered; with the last element of an array, the array too. The state is the one before. */
export function endedJobRows(state: State, event: JobEnded): EndedJobRow[] {
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
    doc: JSON.stringify(doc),
  };
}

/** Earlier attempts, and the last one where it was placed at all. */
function attemptsOf(job: Job, event: JobEnded): AttemptRecord[] {
  return job.seats.length === 0 ? job.attempts : [...job.attempts, attemptOf(job, event.at, event.outcome)];
}

function pastAttempt(state: State, job: Job, record: AttemptRecord): PastAttempt {
  const { attempt, seats, placedAt, startedAt, endedAt, result, exitCode } = record;
  // A node that was lost may have left the fleet since.
  const members = seats.map((seat, rank) => ({
    rank,
    lease: leaseIdOf(job.id, attempt, rank),
    node: state.fleet.nodes[seat.node]?.facts.name ?? "",
    gpus: seat.gpus.map((gpu) => state.fleet.gpuUuid[gpu]!),
    state: "ended",
  }));
  return {
    attempt,
    nodes: members.map((member) => member.node),
    placedAt: timestamp(placedAt),
    ...(startedAt > 0 && { startedAt: timestamp(startedAt) }),
    endedAt: timestamp(endedAt),
    result,
    ...(exitCode !== undefined && { exitCode }),
    members,
  };
}
