import type { Instant } from "../../model/units.ts";

/** In the order in which timers of one instant fire. */
const kinds = [
  "deadline",
  "drain",
  "exposed",
  "limit",
  "maintenance",
  "moves",
  "price",
  "quantum",
  "reach",
  "wake",
  "window",
] as const;

/** A wake-up at an instant. It is only a hint: the state says whether there is still something to do. */
export interface Timer {
  readonly at: Instant;
  readonly kind: (typeof kinds)[number];
  /**
   * A job number; a node number for `drain` and `maintenance`; an account number for `window`, `quantum` and
   * `limit`, with which a window of GPU time ends. `exposed`:
   * the job may be taken, or may start, from now on. `moves`: jobs were moved an hour ago. `price`: a price may
   * change. `reach`: an engine has been out of reach for as long as its owner waits.
   */
  readonly subject: number;
}

/** A binary heap in columns, because every start adds a timer. Earliest first; equal instants fire in a fixed order. */
export class Timers {
  #at = new Float64Array(64);
  /** Kind and subject as one number: orders the timers of one instant. */
  #what = new Float64Array(64);
  #size = 0;
  readonly #once = new Set<string>();

  get nextAt(): Instant | undefined {
    return this.#size === 0 ? undefined : this.#at[0];
  }

  add({ at, kind, subject }: Timer): void {
    if (this.#size === this.#at.length) this.#grow();
    const what = kinds.indexOf(kind) * subjectsMax + subject;
    let place = this.#size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isAfter(parent, at, what)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#at[place] = at;
    this.#what[place] = what;
  }

  /** Like `add`, unless an equal timer is set already. */
  addOnce(timer: Timer): void {
    const key = keyOf(timer);
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.add(timer);
  }

  /** Removes and returns all timers due at `now`. */
  takeDue(now: Instant): Timer[] {
    const due: Timer[] = [];
    while (this.#size > 0 && this.#at[0]! <= now) due.push(this.#pop());
    return due;
  }

  #pop(): Timer {
    const what = this.#what[0]!;
    const subject = what % subjectsMax;
    const top: Timer = { at: this.#at[0]!, kind: kinds[(what - subject) / subjectsMax]!, subject };
    if (this.#once.size > 0) this.#once.delete(keyOf(top));
    const last = --this.#size;
    if (last > 0) this.#sink(this.#at[last]!, this.#what[last]!);
    return top;
  }

  /** Puts an entry in at the top and lets it sink to its place. */
  #sink(at: Instant, what: number): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#size) break;
      if (below + 1 < this.#size && this.#isAfter(below, this.#at[below + 1]!, this.#what[below + 1]!)) below++;
      if (this.#isAfter(below, at, what)) break;
      this.#move(below, place);
      place = below;
    }
    this.#at[place] = at;
    this.#what[place] = what;
  }

  #isAfter(place: number, at: Instant, what: number): boolean {
    return this.#at[place]! !== at ? this.#at[place]! > at : this.#what[place]! > what;
  }

  #move(from: number, to: number): void {
    this.#at[to] = this.#at[from]!;
    this.#what[to] = this.#what[from]!;
  }

  #grow(): void {
    const [at, what] = [this.#at, this.#what];
    this.#at = new Float64Array(2 * at.length);
    this.#what = new Float64Array(2 * what.length);
    this.#at.set(at);
    this.#what.set(what);
  }
}

/** Job numbers stay far below this, and eleven kinds times this is still an exact integer. */
const subjectsMax = 2 ** 49;

function keyOf({ kind, subject, at }: Timer): string {
  return `${kind} ${subject} ${at}`;
}
