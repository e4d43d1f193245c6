import { thoughtMs } from "../../learn/run-times.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { Instant } from "../../model/units.ts";

/** When a job that holds seats is taken to be gone. */
export interface Ending {
  readonly at: Instant;
  readonly job: Job;
}

/** More changes than this are sorted in together. */
const oneByOneMax = 64;

/** Jobs that hold seats and of which it can be told when they end, in that order. Kept up to date when asked for. */
export class Endings {
  readonly #endingOf = new Map<Job, Ending>();
  #sorted: Ending[] = [];
  readonly #changed = new Set<Job>();
  /** Whole GPUs of each node that one of these jobs holds. */
  gpusOn = new Int32Array(16);
  /** Seats that they hold. */
  #seats = 0;

  /** A job has been placed, has started, or holds nothing any more. */
  note(job: Job): void {
    if (hasEnd(job)) this.#changed.add(job);
  }

  /** A seat is taken (`sign` 1), or given back (-1). */
  count(job: Job, { node, gpus, part }: Lease, sign: 1 | -1): void {
    if (!hasEnd(job)) return;
    this.#seats += sign;
    if (part !== undefined) return;
    if (node >= this.gpusOn.length) {
      const grown = new Int32Array(2 * (node + 1));
      grown.set(this.gpusOn);
      this.gpusOn = grown;
    }
    this.gpusOn[node]! += sign * gpus.length;
  }

  /** Whether nothing that runs can be told the end of. */
  get isEmpty(): boolean {
    return this.#seats === 0;
  }

  /** Those whose limit is past come first: they are over any moment. */
  inOrder(now: Instant): readonly Ending[] {
    // Who has run longer than was thought is thought to need longer.
    for (const { at, job } of this.#sorted) {
      if (at > now) break;
      if (isGuess(job, at)) this.#changed.add(job);
    }
    const together = this.#changed.size > oneByOneMax;
    for (const job of this.#changed) {
      const before = this.#endingOf.get(job);
      if (before !== undefined && !together) this.#sorted.splice(this.#placeOf(before), 1);
      const ending = endingOf(job, now);
      if (ending === undefined) this.#endingOf.delete(job);
      else this.#endingOf.set(job, ending);
      if (ending !== undefined && !together) this.#sorted.splice(this.#placeOf(ending), 0, ending);
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

function hasEnd({ spec, usualMs }: Job): boolean {
  return (spec.maxTimeMs ?? spec.expectedMs ?? usualMs) !== undefined;
}

function beginOf({ startedAt, placedAt }: Job): Instant {
  return startedAt > 0 ? startedAt : placedAt;
}

/** Whether it may go on beyond that instant. */
function isGuess(job: Job, at: Instant): boolean {
  return job.spec.maxTimeMs === undefined || at < beginOf(job) + job.spec.maxTimeMs;
}

function endingOf(job: Job, now: Instant): Ending | undefined {
  const begin = beginOf(job);
  const runsMs = job.leases.length === 0 ? undefined : thoughtMs(job.spec, job.usualMs, now - begin);
  return runsMs === undefined ? undefined : { at: begin + runsMs, job };
}

function byEnd(a: Ending, b: Ending): number {
  return a.at - b.at || a.job.no - b.job.no;
}
