import type { GangLevel, SeriesMetric } from "@tessera/wire";
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
export function levelWord(level: GangLevel): string {
  return level === "fleet" ? "anywhere" : `in one ${level}`;
}

/** What the value of a step is: of waits, that of the jobs that started in it; `end` = what stood at its end. */
export type StepValue = "mean" | "sum" | "end" | "starts";

const stepValues: Partial<Readonly<Record<SeriesMetric, StepValue>>> = {
  ...{ energy: "sum", spend: "sum", starts: "sum", ends: "sum", preemptions: "sum" },
  ...{ largest_gang: "end", wait_p50: "starts", wait_p90: "starts" },
};

export function stepValueOf(metric: SeriesMetric): StepValue {
  return stepValues[metric] ?? "mean";
}
