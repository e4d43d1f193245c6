import { thoughtMs } from "../../learn/run-times.ts";
import { beginOf, type Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { Instant } from "../../model/units.ts";

/** When a job that holds seats is expected to have ended. */
export interface Ending {
  readonly at: Instant;
  readonly job: Job;
}

/** Beyond this many changes all endings are sorted again instead of being moved one by one. */
const oneByOneMax = 64;

/** Jobs that hold seats and have a known or expected end, in the order of their ends; sorted when it is read. */
export class Endings {
  readonly #endingOf = new Map<Job, Ending>();
  #sorted: Ending[] = [];
  readonly #changed = new Set<Job>();
  /** By node: whole GPUs that these jobs hold. */
  gpusOn = new Int32Array(16);
  /** Seats that these jobs hold. */
  #seats = 0;

  /** A job was placed, has started, or has ended its attempt. */
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

  /** Whether no running job has an expected end. */
  get isEmpty(): boolean {
    return this.#seats === 0;
  }

  /** Jobs past their limit come first: they end at any moment. */
  inOrder(now: Instant): readonly Ending[] {
    // A job that has outrun its estimate gets a longer one.
    for (const { at, job } of this.#sorted) {
      if (at > now) break;
      if (isGuess(job, at)) this.#changed.add(job);
    }
    const together = this.#changed.size > oneByOneMax;
    for (const job of this.#changed) {
      const before = this.#endingOf.get(job);
      if (before !== undefined && !together) this.#sorted.splice(this.#indexOf(before), 1);
      const ending = endingOf(job, now);
      if (ending === undefined) this.#endingOf.delete(job);
      else this.#endingOf.set(job, ending);
      if (ending !== undefined && !together) this.#sorted.splice(this.#indexOf(ending), 0, ending);
    }
    if (together) this.#sorted = [...this.#endingOf.values()].sort(byEnd);
    this.#changed.clear();
    return this.#sorted;
  }

  /** Where an ending is, or belongs. */
  #indexOf(ending: Ending): number {
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

/** Whether the job may run beyond that instant: it is an estimate and not its limit. */
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
