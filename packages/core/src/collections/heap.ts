/** What can stand in a heap: it remembers where. -1 = nowhere. */
export interface Placed {
  place: number;
}

/** A binary heap whose entries may change and leave; an entry can be in one heap only. `goesFirst` is a strict order. */
export class Heap<Entry extends Placed> {
  readonly #goesFirst: (a: Entry, b: Entry) => boolean;
  #entries: Entry[] = [];

  constructor(goesFirst: (a: Entry, b: Entry) => boolean) {
    this.#goesFirst = goesFirst;
  }

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** Enters an entry, or finds its place anew after it has changed. */
  update(entry: Entry): void {
    if (this.#entries.length === 0) {
      // Most heaps hold one alone, and take no more memory than that.
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
