import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";

/** When a job that holds seats reaches its limit. */
export interface Ending {
  readonly at: Instant;
  readonly job: Job;
}

/** More changes than this are sorted in together. */
const oneByOneMax = 64;

/** Jobs that hold seats and have a limit, in the order in which they reach it. Kept up to date when asked for. */
export class Endings {
  readonly #endingOf = new Map<Job, Ending>();
  #sorted: Ending[] = [];
  readonly #changed = new Set<Job>();

  /** A job has been placed, has started, or holds nothing any more. */
  note(job: Job): void {
    if (job.spec.maxTimeMs !== undefined) this.#changed.add(job);
  }

  inOrder(): readonly Ending[] {
    const together = this.#changed.size > oneByOneMax;
    for (const job of this.#changed) {
      const before = this.#endingOf.get(job);
      if (before !== undefined && !together) this.#sorted.splice(this.#placeOf(before), 1);
      const now = endingOf(job);
      if (now === undefined) this.#endingOf.delete(job);
      else this.#endingOf.set(job, now);
      if (now !== undefined && !together) this.#sorted.splice(this.#placeOf(now), 0, now);
    }
    if (together) this.#sorted = [...this.#endingOf.values()].sort(byEnd);
    this.#changed.clear();
    return this.#sorted;
  }

  /** Where an ending is, or belongs. */
  #placeOf(ending: Ending): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (byEnd(this.#sorted[middle]!, ending) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function endingOf(job: Job): Ending | undefined {
  if (job.leases.length === 0) return undefined;
  return { at: (job.startedAt > 0 ? job.startedAt : job.placedAt) + job.spec.maxTimeMs!, job };
}

function byEnd(a: Ending, b: Ending): number {
  return a.at - b.at || a.job.no - b.job.no;
}
