import type { Job } from "../model/job.ts";

/** Jobs in the order in which they came. Who leaves leaves a gap, and gaps are closed when they are most of it. */
class Row implements Iterable<Job> {
  jobs: (Job | undefined)[] = [];
  size = 0;

  [Symbol.iterator](): Iterator<Job> {
    return new Walk(this.jobs);
  }
}

/** Along a row, past the gaps. Who comes meanwhile is met as well. */
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

/** Fewer gaps than this are left alone. */
const gapsMin = 16;

/** Jobs by a number, such as that of their account. A live job is under one number at a time. */
export class JobsUnder<Key extends number> {
  readonly #rows: (Row | undefined)[] = [];
  /** Where a job is in its row, by its slot. */
  readonly #places: number[] = [];

  add(key: Key, job: Job): void {
    while (this.#rows.length <= key) this.#rows.push(undefined);
    const row = this.#rows[key] ?? new Row();
    this.#rows[key] = row;
    while (this.#places.length <= job.slot) this.#places.push(-1);
    this.#places[job.slot] = row.jobs.push(job) - 1;
    row.size++;
  }

  /** Takes it out again; does nothing where it is not there. */
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

  /** Those under a number, first come first. */
  of(key: Key): Iterable<Job> {
    return this.#rows[key] ?? none;
  }

  /** All of them, by number. */
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
