import type { Job } from "../model/job.ts";

/** Jobs in order of arrival. A deleted job leaves a gap; gaps are closed when they are more than half of the row. */
class Row implements Iterable<Job> {
  jobs: (Job | undefined)[] = [];
  size = 0;

  [Symbol.iterator](): Iterator<Job> {
    return new Walk(this.jobs);
  }
}

/** Iterates over a row without its gaps. Jobs added during the iteration are included. */
class Walk implements Iterator<Job> {
  readonly #jobs: readonly (Job | undefined)[];
  #at = 0;

  constructor(jobs: readonly (Job | undefined)[]) {
    this.#jobs = jobs;
  }

  next(): IteratorResult<Job, undefined> {
    while (this.#at < this.#jobs.length) {
      const job = this.#jobs[this.#at++];
      if (job !== undefined) return { done: false, value: job };
    }
    return { done: true, value: undefined };
  }
}

/** A row with fewer gaps than this is not compacted. */
const gapsMin = 16;

/** Live jobs by a number, such as that of their account. A job is under one number at a time. */
export class JobsUnder<Key extends number> {
  readonly #rows: (Row | undefined)[] = [];
  /** The index of each job in its row, by the job's slot. */
  readonly #places: number[] = [];

  add(key: Key, job: Job): void {
    if (job.slot < 0) throw new Error(`Bug: ${job.id} is not live`);
    while (this.#rows.length <= key) this.#rows.push(undefined);
    const row = this.#rows[key] ?? new Row();
    this.#rows[key] = row;
    while (this.#places.length <= job.slot) this.#places.push(-1);
    this.#places[job.slot] = row.jobs.push(job) - 1;
    row.size++;
  }

  /** Does nothing if the job is not under this number. */
  delete(key: Key, job: Job): void {
    const row = this.#rows[key];
    const place = this.#places[job.slot];
    if (row === undefined || place === undefined || row.jobs[place] !== job) return;
    this.#places[job.slot] = -1;
    row.jobs[place] = undefined;
    row.size--;
    if (row.size === 0) this.#rows[key] = undefined;
    else if (row.jobs.length > 2 * row.size + gapsMin) this.#closeGaps(row);
  }

  has(key: Key): boolean {
    return this.#rows[key] !== undefined;
  }

  /** The jobs under a number, in order of arrival. */
  of(key: Key): Iterable<Job> {
    return this.#rows[key] ?? none;
  }

  /** All jobs, by number. */
  *entries(): Generator<[Key, Iterable<Job>]> {
    for (const [key, row] of this.#rows.entries()) if (row !== undefined) yield [key as Key, row];
  }

  *values(): Generator<Job> {
    for (const row of this.#rows) if (row !== undefined) yield* row;
  }

  #closeGaps(row: Row): void {
    row.jobs = row.jobs.filter((job) => job !== undefined);
    for (let place = 0; place < row.jobs.length; place++) this.#places[row.jobs[place]!.slot] = place;
  }
}

const none: readonly Job[] = [];
