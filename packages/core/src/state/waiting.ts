import type { AccountOrder } from "../model/account.ts";
import type { AccountNo, JobNo, UserId } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { before } from "../queue/in-account.ts";

/**
 * Waiting jobs that would need the same room, for the same account and user. If the first of them cannot start, none
 * can, so a pass over the queue costs as much as there are different wishes, not as many as there are jobs.
 */
export interface WaitingGroup {
  readonly key: string;
  readonly account: AccountNo;
  readonly user: UserId;
  /** Best first. */
  readonly jobs: Job[];
  order: AccountOrder;
  /** At its last turn there were seats, but a plan ahead of it would have been delayed. */
  delayed: boolean;
}

/** Those who ask for the same time and the same GPUs go by age under `aged-shortest` too, whatever the hour. */
function goesFirst(a: Job, b: Job, order: AccountOrder): boolean {
  return before(a, b, order === "aged-shortest" ? "age" : order, 0);
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

  add(job: Job, order: AccountOrder): void {
    if (this.#groupOf.has(job)) return;
    const key = groupKey(job);
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { key, account: job.account, user: job.user, jobs: [], order, delayed: false };
      this.groups.set(key, group);
    }
    const at = placeOf(group, job);
    group.jobs.splice(at, 0, job);
    this.#groupOf.set(job, group);
    // Behind a job that wants the same and could not start there is nothing to try.
    if (at === 0) this.#awake.add(group);
  }

  remove(job: Job): void {
    const group = this.#groupOf.get(job);
    if (group === undefined) return;
    this.#groupOf.delete(job);
    group.jobs.splice(placeOf(group, job), 1);
    if (group.jobs.length === 0) {
      this.groups.delete(group.key);
      this.#awake.delete(group);
    }
  }

  /** The account has chosen another order. */
  reorder(account: AccountNo, order: AccountOrder): void {
    for (const group of this.groups.values()) {
      if (group.account !== account || group.order === order) continue;
      group.order = order;
      group.jobs.sort((a, b) => (goesFirst(a, b, order) ? -1 : 1));
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

function placeOf({ jobs, order }: WaitingGroup, job: Job): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (goesFirst(jobs[middle]!, job, order)) low = middle + 1;
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
