import { quantile } from "../figures.ts";

/** What one run of a case measured. */
export interface Measured {
  /** Jobs decided on in the time measured. */
  readonly jobs: number;
  readonly perSecond: number;
  /** Per second that the deciding thread was on a core, which a busy machine does not change. */
  readonly perCpuSecond: number;
  /** Of the time of one decision. */
  readonly p50us: number;
  readonly p99us: number;
  /** The longest that one batch took. */
  readonly maxMs: number;
  /** A description of the run. */
  readonly ran: string;
}

/** Times batches. A batch that decides on several jobs counts as that many decisions of equal length. */
export class Stopwatch {
  readonly #usEach: number[] = [];
  #jobs = 0;
  #ms = 0;
  #msMax = 0;
  #cpuMs = 0;

  /** Runs and times one batch; `decided` counts the jobs in its result. */
  time<Result>(batch: () => Result, decided: (result: Result) => number): Result {
    const lap = new Lap();
    const result = batch();
    this.add(lap, decided(result));
    return result;
  }

  add(lap: Lap, jobs: number): void {
    const ms = lap.ms();
    this.#ms += ms;
    this.#cpuMs += lap.cpuMs();
    this.#jobs += jobs;
    this.#msMax = Math.max(this.#msMax, ms);
    if (jobs > 0) this.#usEach.push((ms * 1_000) / jobs);
  }

  measured(ran: string): Measured {
    const sorted = this.#usEach.sort((a, b) => a - b);
    return {
      jobs: this.#jobs,
      perSecond: Math.round(this.#jobs / (this.#ms / 1_000)),
      perCpuSecond: Math.round(this.#jobs / (this.#cpuMs / 1_000)),
      p50us: round(quantile(sorted, 0.5)),
      p99us: round(quantile(sorted, 0.99)),
      maxMs: round(this.#msMax),
      ran,
    };
  }
}

/** Time that passes, on the wall and on a core. */
export class Lap {
  readonly #began = performance.now();
  readonly #cpu = process.threadCpuUsage();

  ms(): number {
    return performance.now() - this.#began;
  }

  cpuMs(): number {
    const { user, system } = process.threadCpuUsage(this.#cpu);
    return (user + system) / 1_000;
  }
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
