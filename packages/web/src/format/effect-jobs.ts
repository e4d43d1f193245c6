import type { EffectJobs } from "@tessera/wire";
import { count, spellGpus } from "./numbers.ts";

/** `3 jobs on 12 GPUs`. */
export function effectJobs({ jobs, gpus }: EffectJobs): string {
  return `${count(jobs, "job")} on ${spellGpus(gpus)}`;
}

const namesShown = 4;

/** The first of them by name, for the end of a sentence; nothing where none may be named. */
export function effectNames({ jobs, named }: EffectJobs): string {
  if (named.length === 0) return "";
  const names = named.slice(0, namesShown).map(({ name, project }) => `${name} of ${project}`);
  const more = jobs - names.length;
  return `: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
