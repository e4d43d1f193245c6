import type { AttemptRecord, Job } from "@tessera/core";

/** Why a job that has run before waits again, as a sentence for its user; undefined for one that has not. */
export function waitsAgain({ state, attempt, attempts }: Job): string | undefined {
  const last = attempts.at(-1);
  if (state !== "waiting" || last === undefined) return undefined;
  const code = last.exitCode === undefined ? "" : ` It had exited with code ${last.exitCode}.`;
  return `It waits again, as attempt ${attempt}: ${causeOf(last)}.${code}`;
}

/** Of an attempt by what ended it; a newer journal may know causes that have no text here. */
function causeOf({ result, why, attempt }: AttemptRecord): string {
  if (why !== undefined) return why;
  return texts[result] ?? (result === "failed" ? `attempt ${attempt} failed` : result);
}

const texts: Readonly<Record<string, string>> = {
  preempted: "its seats were needed",
  drain: "its node was drained",
  node_lost: "its node was lost",
  node_fault: "its node had a fault",
  neighbour_fault: "a fault on the GPU that it shared ended it",
  moved: "it was moved to other seats",
  budget: "a budget of its account is spent",
  suspended: "it was suspended",
  requeued: "it was sent back to the queue",
};
