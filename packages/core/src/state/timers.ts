import type { Instant } from "../model/units.ts";

/** Something that must be looked at again when its time comes. It is only a hint: the state says whether it still holds. */
export interface Timer {
  readonly at: Instant;
  readonly kind: "wake" | "deadline" | "drain" | "window" | "maintenance" | "exposed" | "moves" | "turns" | "price";
  /** A job number; a node number for `drain` and `maintenance`; an account number for `window`. `exposed`: what kept the job from being taken, or from starting, ends. `moves`: jobs were moved an hour ago. `turns`: some who wait have not had their turn to claim. `price`: what something costs may change. */
  readonly subject: number;
}

function earlier(a: Timer, b: Timer): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.kind !== b.kind) return a.kind < b.kind;
  return a.subject < b.subject;
}

/** A binary heap, earliest first. Equal instants come out in a fixed order. */
export class Timers {
  readonly #heap: Timer[] = [];
  readonly #once = new Set<string>();

  get nextAt(): Instant | undefined {
    return this.#heap[0]?.at;
  }

  add(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!earlier(heap[at]!, heap[parent]!)) break;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  /** Like `add`, for what may be asked for again and again before its time comes. */
  addOnce(timer: Timer): void {
    const key = `${timer.kind} ${timer.subject} ${timer.at}`;
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.add(timer);
  }

  /** Takes out everything that is due at `now`. */
  takeDue(now: Instant): Timer[] {
    const due: Timer[] = [];
    while (this.#heap.length > 0 && this.#heap[0]!.at <= now) due.push(this.#pop());
    return due;
  }

  #pop(): Timer {
    const heap = this.#heap;
    const top = heap[0]!;
    this.#once.delete(`${top.kind} ${top.subject} ${top.at}`);
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      let at = 0;
      for (;;) {
        const left = 2 * at + 1;
        const right = left + 1;
        let least = at;
        if (left < heap.length && earlier(heap[left]!, heap[least]!)) least = left;
        if (right < heap.length && earlier(heap[right]!, heap[least]!)) least = right;
        if (least === at) break;
        [heap[at], heap[least]] = [heap[least]!, heap[at]!];
        at = least;
      }
    }
    return top;
  }
}
