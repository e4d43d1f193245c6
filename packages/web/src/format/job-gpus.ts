import type { Job } from "@tessera/wire";
import { spellGpus, spellNumber } from "./numbers.ts";

type Asking = Pick<Job, "gpus" | "state"> & {
  readonly elements?: Pick<NonNullable<Job["elements"]>, "size" | "waiting" | "active"> | undefined;
};

/** The elements of an array that its state is about: those that wait, that run, or all of an ended one. A job is one. */
function elementsOf({ state, elements }: Asking): number {
  if (elements === undefined) return 1;
  return state === "waiting" ? elements.waiting : state === "ended" ? elements.size : elements.active;
}

/** The GPUs that a job waits for or holds. `gpus` of an array are those of one element. */
export function jobGpus(job: Asking): number {
  return elementsOf(job) * job.gpus;
}

/** `8 GPUs`, or `6 × 8 GPUs` of an array. */
export function spellJobGpus(job: Asking): string {
  const many = elementsOf(job);
  return many === 1 || job.gpus === 0 ? spellGpus(job.gpus) : `${spellNumber(many)} × ${spellGpus(job.gpus)}`;
}
