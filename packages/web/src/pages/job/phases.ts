import type { Job } from "@tessera/wire";

export type PhaseKind = "queue" | "start" | "run" | "stop";

export interface Phase {
  readonly kind: PhaseKind;
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** The life of a job as a row of phases without gaps, from the submit until its end or now. */
export function phasesOf(
  job: Pick<Job, "submittedAt" | "startedAt" | "endedAt" | "attempts" | "state" | "members">,
  now: number,
): Phase[] {
  const phases: Phase[] = [];
  let at = Date.parse(job.submittedAt);
  const until = (kind: PhaseKind, to: number, label: string) => {
    if (to > at) phases.push({ kind, from: at, to, label });
    at = Math.max(at, to);
  };
  for (const { attempt, placedAt, startedAt, endedAt, result, why } of job.attempts ?? []) {
    until("queue", Date.parse(placedAt), "waiting");
    if (startedAt !== undefined) until("start", Date.parse(startedAt), "starting");
    until(startedAt === undefined ? "start" : "run", Date.parse(endedAt), `attempt ${attempt}: ${why ?? result}`);
  }
  const end = job.endedAt === undefined ? now : Date.parse(job.endedAt);
  if (job.state === "ended") return phases;
  const started = job.startedAt === undefined ? undefined : Date.parse(job.startedAt);
  if (job.state === "waiting") until("queue", end, "waiting");
  else if (started === undefined || started < at) until(job.state === "starting" ? "start" : "run", end, job.state);
  else {
    until("queue", started, "waiting");
    until(job.state === "stopping" ? "stop" : "run", end, job.state);
  }
  return phases;
}
