import type { Instant } from "../../model/units.ts";

/** In the order in which they come at one instant. */
const kinds = ["deadline", "drain", "exposed", "maintenance", "moves", "price", "quantum", "wake", "window"] as const;

/** Something that must be looked at again when its time comes. It is only a hint: the state says whether it still holds. */
export interface Timer {
  readonly at: Instant;
  readonly kind: (typeof kinds)[number];
  /** A job number; a node number for `drain` and `maintenance`; an account number for `window` and `quantum`. `exposed`: what kept the job from being taken, or from starting, ends. `moves`: jobs were moved an hour ago. `price`: what something costs may change. */
  readonly subject: number;
}

/** A binary heap in columns, earliest first; every start adds a timer. Equal instants come out in a fixed order. */
export class Timers {
  #at = new Float64Array(64);
  /** The subject and, in front of it, the place of the kind: what orders timers of one instant. */
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

  /** Like `add`, for what may be asked for again and again before its time comes. */
  addOnce(timer: Timer): void {
    const key = keyOf(timer);
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.add(timer);
  }

  /** Takes out everything that is due at `now`. */
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

  /** Enters from the top. */
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

/** Numbers of jobs stay far below this, and nine times as much is still a whole number. */
const subjectsMax = 2 ** 49;

function keyOf({ kind, subject, at }: Timer): string {
  return `${kind} ${subject} ${at}`;
}
