import type { JobId } from "../model/ids.ts";
import type { Job } from "../model/job.ts";

const placesMin = 64;
/** The hash of a free place; `hashOf` never returns it. */
const free = 0;

/**
 * Live jobs by id: an open-addressing hash table. Each submission first checks whether its id is taken, and it rarely is;
 * the column of hashes answers that without reading other jobs' ids, as a Map would.
 */
export class JobsById {
  /** The hash of the id at each place. At most half of the places are taken. */
  #hashes = new Int32Array(placesMin);
  #jobs: (Job | undefined)[] = noJobs(placesMin);
  #size = 0;

  get(id: JobId): Job | undefined {
    const place = this.#find(id);
    return place < 0 ? undefined : this.#jobs[place];
  }

  has(id: JobId): boolean {
    return this.#find(id) >= 0;
  }

  /** Adds a job whose id is not in the table. */
  add(job: Job): void {
    if (2 * (this.#size + 1) > this.#jobs.length) this.#grow();
    this.#put(hashOf(job.id), job);
    this.#size++;
  }

  delete(id: JobId): void {
    let gap = this.#find(id);
    if (gap < 0) return;
    this.#size--;
    const mask = this.#jobs.length - 1;
    // A search ends at the first free place, so later jobs of the same run move up into the gap.
    for (let next = (gap + 1) & mask; this.#hashes[next] !== free; next = (next + 1) & mask) {
      const home = this.#hashes[next]! & mask;
      if (((next - home) & mask) < ((next - gap) & mask)) continue;
      this.#hashes[gap] = this.#hashes[next]!;
      this.#jobs[gap] = this.#jobs[next];
      gap = next;
    }
    this.#hashes[gap] = free;
    this.#jobs[gap] = undefined;
  }

  #find(id: JobId): number {
    const mask = this.#jobs.length - 1;
    const hash = hashOf(id);
    for (let place = hash & mask; this.#hashes[place] !== free; place = (place + 1) & mask)
      if (this.#hashes[place] === hash && this.#jobs[place]!.id === id) return place;
    return -1;
  }

  #put(hash: number, job: Job): void {
    const mask = this.#jobs.length - 1;
    let place = hash & mask;
    while (this.#hashes[place] !== free) place = (place + 1) & mask;
    this.#hashes[place] = hash;
    this.#jobs[place] = job;
  }

  #grow(): void {
    const [hashes, jobs] = [this.#hashes, this.#jobs];
    this.#hashes = new Int32Array(2 * jobs.length);
    this.#jobs = noJobs(2 * jobs.length);
    for (let place = 0; place < jobs.length; place++)
      if (hashes[place] !== free) this.#put(hashes[place]!, jobs[place]!);
  }
}

function noJobs(length: number): (Job | undefined)[] {
  return Array(length).fill(undefined);
}

/** FNV-1a with its high bits mixed into the low ones, which choose the place. */
function hashOf(id: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x0100_0193);
  return hash ^ (hash >>> 15) || 1;
}
