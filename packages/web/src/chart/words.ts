import { waitingReasons } from "@tessera/wire/reasons";

/** The title of a reason to wait. */
export function reasonWord(kind: string): string | undefined {
  return Object.entries(waitingReasons).find(([each]) => each === kind)?.[1].title;
}

const causes: Readonly<Record<string, string>> = {
  failed: "failed, tried again",
  node_lost: "node lost",
  node_fault: "fault of a node",
  neighbour_fault: "fault of a neighbour",
  preempted: "preempted or reclaimed",
  moved: "moved",
  drain: "drained",
  budget: "budget spent",
  refused: "refused by the engine",
  suspended: "suspended",
  requeued: "sent back by its user",
};

/** Why a job went back to the queue. */
export function causeWord(cause: string): string | undefined {
  return causes[cause];
}

/** How a job ended. */
export function outcomeWord(outcome: string): string {
  return outcome.replaceAll("-", " ");
}

/** A place of a topology, for the largest gang inside one. */
export function levelWord(level: string): string {
  return level === "fleet" ? "anywhere" : `in one ${level}`;
}
