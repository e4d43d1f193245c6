import { NodeIndex } from "./node-index.ts";

/**
 * A NodeIndex for few numbers out of many: only pages with a number exist, and the tree is over the pages. The fleet has
 * hundreds of these; a tree over all nodes in each would cost too much memory.
 */
export class SparseIndex {
  /** The maxima of each page. */
  readonly #most = new NodeIndex();
  /** By page: the cores of each number, then the memory of each. */
  readonly #pages = new Map<number, Int32Array>();
  size = 0;

  /** Adds a number, or changes its amounts. */
  set(no: number, cpusMilli: number, memoryMiB: number): void {
    let page = this.#pages.get(no >>> pageBits);
    if (page === undefined) {
      page = new Int32Array(2 * pageLength).fill(absent);
      this.#pages.set(no >>> pageBits, page);
    }
    const place = no & (pageLength - 1);
    const [cpus, memory] = [Math.max(0, cpusMilli), Math.max(0, memoryMiB)];
    if (page[place] === cpus && page[pageLength + place] === memory) return;
    if (page[place] === absent) this.size++;
    page[place] = cpus;
    page[pageLength + place] = memory;
    this.#count(no >>> pageBits, page);
  }

  delete(no: number): void {
    const page = this.#pages.get(no >>> pageBits);
    const place = no & (pageLength - 1);
    if (page === undefined || page[place] === absent) return;
    this.size--;
    page[place] = absent;
    page[pageLength + place] = absent;
    this.#count(no >>> pageBits, page);
  }

  /** The lowest number from `from` on with at least these amounts; -1 if there is none. */
  next(from: number, cpusMilli = 0, memoryMiB = 0): number {
    let place = from & (pageLength - 1);
    const first = from >>> pageBits;
    for (
      let no = this.#most.next(first, cpusMilli, memoryMiB);
      no >= 0;
      no = this.#most.next(no + 1, cpusMilli, memoryMiB)
    ) {
      if (no !== first) place = 0;
      const page = this.#pages.get(no)!;
      for (; place < pageLength; place++)
        if (page[place]! >= cpusMilli && page[pageLength + place]! >= memoryMiB) return no * pageLength + place;
    }
    return -1;
  }

  #count(no: number, page: Int32Array): void {
    let cpus = absent;
    let memory = absent;
    for (let place = 0; place < pageLength; place++) {
      if (page[place]! > cpus) cpus = page[place]!;
      if (page[pageLength + place]! > memory) memory = page[pageLength + place]!;
    }
    if (cpus !== absent) this.#most.set(no, cpus, memory);
    else {
      this.#most.delete(no);
      this.#pages.delete(no);
    }
  }
}

const pageBits = 6;
const pageLength = 1 << pageBits;
const absent = -1;
