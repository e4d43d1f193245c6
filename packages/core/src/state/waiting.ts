import type { AccountNo, JobNo, UserId } from "../model/ids.ts";
import type { Job } from "../model/job.ts";

/**
 * Waiting jobs that would need the same room, for the same account and user. If the first of them cannot start, none
 * can, so a pass over the queue costs as much as there are different wishes, not as many as there are jobs.
 */
export interface WaitingGroup {
  readonly key: string;
  readonly account: AccountNo;
  readonly user: UserId;
  /** Best first: priority, then number (which is age). */
  readonly jobs: Job[];
  /** At its last turn there were seats, but a plan ahead of it would have been delayed. */
  delayed: boolean;
}

/** Order inside one account: higher priority, then older. A requeued job keeps its number, hence its place. */
export function before(a: Job, b: Job): boolean {
  return a.spec.priority !== b.spec.priority ? a.spec.priority > b.spec.priority : a.no < b.no;
}

/** The queue: jobs that could start as far as they themselves are concerned. Held or dependent jobs are not in it. */
export class Waiting {
  readonly groups = new Map<string, WaitingGroup>();
  /** Where each waiting job is; the key of a group is not free to make. */
  readonly #groupOf = new Map<Job, WaitingGroup>();
  /** Groups whose first job has not been tried since something changed for it. */
  #awake = new Set<WaitingGroup>();

  get size(): number {
    return this.#groupOf.size;
  }

  add(job: Job): void {
    if (this.#groupOf.has(job)) return;
    const key = groupKey(job);
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { key, account: job.account, user: job.user, jobs: [], delayed: false };
      this.groups.set(key, group);
    }
    const at = placeOf(group.jobs, job);
    group.jobs.splice(at, 0, job);
    this.#groupOf.set(job, group);
    // Behind a job that wants the same and could not start there is nothing to try.
    if (at === 0) this.#awake.add(group);
  }

  remove(job: Job): void {
    const group = this.#groupOf.get(job);
    if (group === undefined) return;
    this.#groupOf.delete(job);
    group.jobs.splice(placeOf(group.jobs, job), 1);
    if (group.jobs.length === 0) {
      this.groups.delete(group.key);
      this.#awake.delete(group);
    }
  }

  /** Room, quota or a limit changed: everyone may be able to start. */
  wakeAll(): void {
    for (const group of this.groups.values()) this.#awake.add(group);
  }

  takeAwake(): Set<WaitingGroup> {
    const awake = this.#awake;
    this.#awake = new Set();
    return awake;
  }

  /** The job would have started at its last turn, but for a plan ahead of it. */
  isDelayed(job: Job): boolean {
    return this.#groupOf.get(job)?.delayed ?? false;
  }

  has(job: Job): boolean {
    return this.#groupOf.has(job);
  }
}

function placeOf(jobs: readonly Job[], job: Job): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(jobs[middle]!, job)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const shapeKeys = new WeakMap<object, string>();

function groupKey(job: Job): string {
  // Elements of an array share one spec object, so the text is made once for all of them.
  let shape = shapeKeys.get(job.spec);
  if (shape === undefined) {
    const { gpus, members, topology, isolation, maxTimeMs, cpusMilli, memoryMiB, gpuMemoryMiB, preemptible } = job.spec;
    const asks = gpus
      .map(
        (ask) =>
          `${ask.model}:${ask.count}:${ask.unitsEach}:${ask.part?.profile}:${ask.part?.memory}:${ask.part?.memoryMiB}`,
      )
      .join(",");
    shape = `${asks}|${members.min}-${members.max}${members.apart ? "a" : ""}|${cpusMilli}|${memoryMiB}|${gpuMemoryMiB}|${preemptible}|${topology?.level}${topology?.required}|${isolation}|${maxTimeMs}`;
    shapeKeys.set(job.spec, shape);
  }
  return `${job.account}|${job.user}|${limitedArray(job)}|${shape}`;
}

function limitedArray(job: Job): JobNo | "" {
  return job.array !== undefined && job.spec.array?.atOnceMax !== undefined ? job.array : "";
}
