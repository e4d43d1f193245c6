import type { Job } from "@tessera/wire";
import { count, spellGpus } from "../../format/numbers.ts";

export type Stopping = Pick<Job, "state" | "gpus"> & {
  readonly elements?: Pick<NonNullable<Job["elements"]>, "active" | "waiting"> | undefined;
};

/** What of some jobs runs and waits, and what they hold. The GPUs of an array are those of one of its elements. */
export function whatStops(jobs: readonly Stopping[]) {
  const sum = { running: 0, waiting: 0, runningElements: 0, waitingElements: 0, gpus: 0 };
  for (const { state, gpus, elements } of jobs) {
    if (state === "ended") continue;
    if (elements !== undefined) {
      sum.runningElements += elements.active;
      sum.waitingElements += elements.waiting;
      sum.gpus += elements.active * gpus;
    } else if (state === "waiting") sum.waiting++;
    else {
      sum.running++;
      sum.gpus += gpus;
    }
  }
  return sum;
}

/** What follows from cancelling jobs: what stops, what it releases, what never starts. */
export function stopWords(jobs: readonly Stopping[]): string {
  const { running, waiting, runningElements, waitingElements, gpus } = whatStops(jobs);
  const stops =
    running + runningElements === 0
      ? []
      : [
          running + runningElements === 1
            ? `${jobsAndElements(running, runningElements)} stops and releases ${spellGpus(gpus)}.`
            : `${jobsAndElements(running, runningElements)} stop and release ${spellGpus(gpus)}.`,
        ];
  const never = waiting + waitingElements === 0 ? [] : [`${jobsAndElements(waiting, waitingElements)} will not start.`];
  return [...stops, ...never].join(" ");
}

/** Jobs and elements of arrays, each with its number. */
export function jobsAndElements(jobs: number, elements: number): string {
  const words = [
    ...(jobs === 0 ? [] : [count(jobs, "job")]),
    ...(elements === 0 ? [] : [count(elements, "element of an array", "elements of arrays")]),
  ];
  return words.join(" and ");
}
