import type { Job } from "../model/job.ts";

/** Enters a job in the set that stands under a key. */
export function addUnder<Key>(jobsBy: Map<Key, Set<Job>>, key: Key, job: Job): void {
  const jobs = jobsBy.get(key);
  if (jobs === undefined) jobsBy.set(key, new Set([job]));
  else jobs.add(job);
}

/** Takes it out again; a set that is empty goes with it. */
export function deleteUnder<Key>(jobsBy: Map<Key, Set<Job>>, key: Key, job: Job): void {
  const jobs = jobsBy.get(key);
  if (jobs?.delete(job) && jobs.size === 0) jobsBy.delete(key);
}
