import type { EffectJobs } from "@tessera/wire";
import { count, spellGpus } from "./numbers.ts";

/** `3 jobs on 12 GPUs`. */
export function effectJobs({ jobs, gpus }: EffectJobs): string {
  return `${count(jobs, "job")} on ${spellGpus(gpus)}`;
}

/** What follows where no further job of an account may start: `no further burst job of lab starts, and 2 jobs on 12 GPUs stop now: …` */
export function stopWords(account: string, which: "job" | "burst job", stops: EffectJobs): string {
  const later = `no further ${which} of ${account} starts`;
  if (stops.jobs === 0) return `${later}. None runs now.`;
  return `${later}, and ${effectJobs(stops)} ${stops.jobs === 1 ? "stops" : "stop"} now${effectNames(stops)}.`;
}

const namesShown = 4;

/** The first of them by name, for the end of a sentence; nothing where none may be named. */
export function effectNames({ jobs, named }: EffectJobs): string {
  if (named.length === 0) return "";
  const names = named.slice(0, namesShown).map(({ name, project }) => `${name} of ${project}`);
  const more = jobs - names.length;
  return `: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
