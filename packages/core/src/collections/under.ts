import type { Job } from "../model/job.ts";

/** Adds a job to the set of a key. */
export function addUnder<Key>(jobsBy: Map<Key, Set<Job>>, key: Key, job: Job): void {
  const jobs = jobsBy.get(key);
  if (jobs === undefined) jobsBy.set(key, new Set([job]));
  else jobs.add(job);
}

/** Deletes a job from the set of a key, and the set once it is empty. */
export function deleteUnder<Key>(jobsBy: Map<Key, Set<Job>>, key: Key, job: Job): void {
  const jobs = jobsBy.get(key);
  if (jobs?.delete(job) && jobs.size === 0) jobsBy.delete(key);
}
