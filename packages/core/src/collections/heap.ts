/** An entry of a heap, with its index there; -1 = in no heap. */
export interface Placed {
  place: number;
}

/** A binary heap whose entries can change and be deleted; an entry is in at most one. `goesFirst` is a strict order. */
export class Heap<Entry extends Placed> {
  readonly #goesFirst: (a: Entry, b: Entry) => boolean;
  #entries: Entry[] = [];

  constructor(goesFirst: (a: Entry, b: Entry) => boolean) {
    this.#goesFirst = goesFirst;
  }

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** Adds an entry, or moves it to its place after it has changed. */
  update(entry: Entry): void {
    if (this.#entries.length === 0) {
      if (entry.place >= 0) throw new Error("Bug: a heap's entry is in another heap");
      // Most heaps hold a single entry; an array of one takes no spare memory.
      this.#entries = [entry];
      entry.place = 0;
      return;
    }
    if (entry.place < 0) entry.place = this.#entries.push(entry) - 1;
    this.#rise(entry);
    this.#sink(entry);
  }

  delete(entry: Entry): void {
    const { place } = entry;
    if (place < 0) return;
    if (this.#entries[place] !== entry) throw new Error("Bug: a heap's entry is in another heap");
    entry.place = -1;
    const last = this.#entries.pop()!;
    if (last === entry) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(entry: Entry, place: number): void {
    this.#entries[place] = entry;
    entry.place = place;
  }

  #rise(entry: Entry): void {
    let { place } = entry;
    while (place > 0) {
      const above = this.#entries[(place - 1) >> 1]!;
      if (!this.#goesFirst(entry, above)) break;
      this.#put(above, place);
      place = (place - 1) >> 1;
    }
    this.#put(entry, place);
  }

  #sink(entry: Entry): void {
    const entries = this.#entries;
    let { place } = entry;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= entries.length) break;
      if (below + 1 < entries.length && this.#goesFirst(entries[below + 1]!, entries[below]!)) below++;
      if (!this.#goesFirst(entries[below]!, entry)) break;
      this.#put(entries[below]!, place);
      place = below;
    }
    this.#put(entry, place);
  }
}
