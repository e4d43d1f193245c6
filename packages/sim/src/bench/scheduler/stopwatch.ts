import { quantile } from "../figures.ts";

/** What one run of a case measured. */
export interface Measured {
  /** Jobs decided on in the time measured. */
  readonly jobs: number;
  readonly perSecond: number;
  /** Of the time of one decision. */
  readonly p50us: number;
  readonly p99us: number;
  /** The longest that one batch took. */
  readonly maxMs: number;
  /** What was run, in words. */
  readonly ran: string;
}

/** Times batches. A batch that decides on several jobs counts as that many decisions of equal length. */
export class Stopwatch {
  readonly #usEach: number[] = [];
  #jobs = 0;
  #ms = 0;
  #msMax = 0;

  /** Runs and times one batch; `decided` tells from its result on how many jobs it decided. */
  time<Result>(batch: () => Result, decided: (result: Result) => number): Result {
    const began = performance.now();
    const result = batch();
    this.add(performance.now() - began, decided(result));
    return result;
  }

  add(ms: number, jobs: number): void {
    this.#ms += ms;
    this.#jobs += jobs;
    this.#msMax = Math.max(this.#msMax, ms);
    if (jobs > 0) this.#usEach.push((ms * 1_000) / jobs);
  }

  measured(ran: string): Measured {
    const sorted = this.#usEach.sort((a, b) => a - b);
    return {
      jobs: this.#jobs,
      perSecond: Math.round(this.#jobs / (this.#ms / 1_000)),
      p50us: round(quantile(sorted, 0.5)),
      p99us: round(quantile(sorted, 0.99)),
      maxMs: round(this.#msMax),
      ran,
    };
  }
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
