import type { Job } from "@tessera/wire";

export type PhaseKind = "queue" | "start" | "run" | "stop";

export interface Phase {
  readonly kind: PhaseKind;
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

type Lived = "submittedAt" | "placedAt" | "startedAt" | "endedAt" | "attempts" | "state";

/** The life of a job as a row of phases without gaps, from the submit until its end or now. */
export function phasesOf(job: Pick<Job, Lived>, now: number): Phase[] {
  const phases: Phase[] = [];
  let at = Date.parse(job.submittedAt);
  const until = (kind: PhaseKind, to: number, label: string) => {
    if (to > at) phases.push({ kind, from: at, to, label });
    at = Math.max(at, to);
  };
  const placed = (placedAt: string, startedAt: string | undefined) => {
    until("queue", Date.parse(placedAt), "waiting");
    if (startedAt !== undefined) until("start", Date.parse(startedAt), "starting");
  };
  for (const { attempt, placedAt, startedAt, endedAt, result, why } of job.attempts ?? []) {
    placed(placedAt, startedAt);
    until(startedAt === undefined ? "start" : "run", Date.parse(endedAt), `attempt ${attempt}: ${why ?? result}`);
  }
  if (job.state === "ended") return phases;
  if (job.placedAt === undefined) {
    // An array as a whole has no place of its own.
    until(job.state === "waiting" ? "queue" : "run", now, job.state);
    return phases;
  }
  placed(job.placedAt, job.startedAt);
  until(job.state === "stopping" ? "stop" : job.startedAt === undefined ? "start" : "run", now, job.state);
  return phases;
}
