import type { Clock } from "@tessera/engine";

interface Entry {
  readonly instant: number;
  /** Acts of one instant run in the order in which they were asked for. */
  readonly order: number;
  act: (() => void) | undefined;
}

/** Time that stands still until it is moved. Acts run while it is moved, each at its own instant. */
export class SimulatedClock implements Clock {
  #now: number;
  #asked = 0;
  /** A binary heap: the next entry is the first. */
  readonly #heap: Entry[] = [];

  constructor(startAt = 0) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  at(instant: number, act: () => void): () => void {
    const entry: Entry = { instant: Math.max(instant, this.#now), order: this.#asked++, act };
    this.#push(entry);
    return () => {
      entry.act = undefined;
    };
  }

  /** The instant of the next act; undefined when nothing is to come. */
  nextAt(): number | undefined {
    while (this.#heap.length > 0 && this.#heap[0]!.act === undefined) this.#pop();
    return this.#heap[0]?.instant;
  }

  /** Moves to `instant` and runs everything that is due up to and at it, also what is asked for on the way. */
  advanceTo(instant: number): void {
    for (let next = this.nextAt(); next !== undefined && next <= instant; next = this.nextAt()) this.step();
    this.#now = Math.max(this.#now, instant);
  }

  /** Moves to the next act and runs it alone. False when nothing is to come. */
  step(): boolean {
    if (this.nextAt() === undefined) return false;
    const { instant, act } = this.#pop();
    this.#now = instant;
    act!();
    return true;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(entry, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.instant < b.instant || (a.instant === b.instant && a.order < b.order);
}
