import { drift } from "./drift.ts";
import { type ArrivalShape, arrivalKey } from "./shape.ts";

/** The arrivals that count as recent; they predict better while the mix changes. */
const recentArrivals = 600;
/** Limits at which all counts are halved, so that old arrivals fade. */
const arrivalsMax = 65_536;
const shapesMax = 1024;
const firstHalving = 32;

/** Marks an arrival in the ring whose shape was dropped. */
const forgotten = -1;

/** The mix as plain values that can be stored and read back. */
export interface MixRecord {
  readonly shapes: readonly ArrivalShape[];
  readonly counts: readonly number[];
  readonly early: readonly number[];
  readonly middle: readonly number[];
  readonly recent: readonly number[];
  readonly next: number;
}

/** How often each shape has arrived, whether it was placed or not. */
export class Mix {
  shapes: ArrivalShape[] = [];
  counts: number[] = [];
  /** The count of each shape among the recent arrivals. */
  recent: number[] = [];
  arrivals = 0;
  #index = new Map<string, number>();
  /** The last shape, which often arrives again. */
  #last: { readonly shape: ArrivalShape; readonly at: number } | undefined;
  #ring: number[] = [];
  #next = 0;
  /** The counts at an earlier time, and those that replace them when the arrivals have doubled. */
  #early: number[] = [];
  #middle: number[] = [];

  add(shape: ArrivalShape): void {
    if (this.arrivals >= arrivalsMax) this.#fade();
    const at = this.#indexOf(shape);
    this.counts[at]!++;
    this.arrivals++;
    const gone = this.#ring[this.#next] ?? forgotten;
    if (gone !== forgotten) this.recent[gone]!--;
    this.#ring[this.#next] = at;
    this.recent[at]!++;
    this.#next = (this.#next + 1) % recentArrivals;
    if (this.arrivals >= Math.max(firstHalving, 2 * sum(this.#middle))) {
      this.#early = this.#middle;
      this.#middle = [...this.counts];
    }
  }

  /** How much the mix changes: 0 if early and later arrivals are alike, 1 if they differ a lot. */
  drift(): number {
    return drift(this.#early, this.counts);
  }

  record(): MixRecord {
    return {
      shapes: this.shapes,
      counts: [...this.counts],
      early: [...this.#early],
      middle: [...this.#middle],
      recent: [...this.#ring],
      next: this.#next,
    };
  }

  static from({ shapes, counts, early, middle, recent, next }: MixRecord): Mix {
    const mix = new Mix();
    mix.shapes = [...shapes];
    mix.counts = [...counts];
    mix.#early = [...early];
    mix.#middle = [...middle];
    mix.#ring = [...recent];
    mix.#next = next;
    mix.arrivals = sum(counts);
    mix.#rebuildIndex();
    return mix;
  }

  #indexOf(shape: ArrivalShape): number {
    if (shape === this.#last?.shape) return this.#last.at;
    const at = this.#findIndex(shape);
    this.#last = { shape, at };
    return at;
  }

  #findIndex(shape: ArrivalShape): number {
    const key = arrivalKey(shape);
    const known = this.#index.get(key);
    if (known !== undefined) return known;
    while (this.shapes.length >= shapesMax) this.#fade();
    const at = this.shapes.length;
    this.#index.set(key, at);
    this.shapes.push(shape);
    this.counts.push(0);
    this.recent.push(0);
    return at;
  }

  /** Halves all counts; a shape whose count reaches 0 is dropped. */
  #fade(): void {
    const kept = this.counts.flatMap((count, at) => (count > 1 ? [at] : []));
    const place = new Map(kept.map((at, now) => [at, now]));
    const half = (counts: readonly number[]) => kept.map((at) => (counts[at] ?? 0) >> 1);
    this.shapes = kept.map((at) => this.shapes[at]!);
    this.counts = half(this.counts);
    this.#early = half(this.#early);
    this.#middle = half(this.#middle);
    this.#ring = this.#ring.map((at) => place.get(at) ?? forgotten);
    this.arrivals = sum(this.counts);
    this.#rebuildIndex();
  }

  #rebuildIndex(): void {
    this.#last = undefined;
    this.#index = new Map(this.shapes.map((shape, at) => [arrivalKey(shape), at]));
    this.recent = this.shapes.map(() => 0);
    for (const at of this.#ring) if (at !== forgotten) this.recent[at]!++;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
