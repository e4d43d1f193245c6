/** A place in a line, made once for each that may stand there and used again. */
export interface Spot<Entry> {
  readonly entry: Entry;
  isTaken: boolean;
  before: Spot<Entry> | undefined;
  after: Spot<Entry> | undefined;
}

export function spotFor<Entry>(entry: Entry): Spot<Entry> {
  return { entry, isTaken: false, before: undefined, after: undefined };
}

/** Entries in the order in which they came; each comes and goes at no more cost than a few references. */
export class Line<Entry> implements Iterable<Entry> {
  #first: Spot<Entry> | undefined;
  #last: Spot<Entry> | undefined;
  size = 0;

  get first(): Entry | undefined {
    return this.#first?.entry;
  }

  /** At the end; does nothing where it stands in the line already. */
  add(spot: Spot<Entry>): void {
    if (spot.isTaken) return;
    spot.isTaken = true;
    spot.before = this.#last;
    spot.after = undefined;
    if (this.#last === undefined) this.#first = spot;
    else this.#last.after = spot;
    this.#last = spot;
    this.size++;
  }

  delete(spot: Spot<Entry>): void {
    if (!spot.isTaken) return;
    spot.isTaken = false;
    if (spot.before === undefined) this.#first = spot.after;
    else spot.before.after = spot.after;
    if (spot.after === undefined) this.#last = spot.before;
    else spot.after.before = spot.before;
    this.size--;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let spot = this.#first; spot !== undefined; spot = spot.after) yield spot.entry;
  }
}
