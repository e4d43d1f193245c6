import { minute } from "@tessera/core";
import { type Column, readChunk } from "./chunk.ts";
import type { SeriesFile } from "./file.ts";
import { levels, minutesPerHour } from "./levels.ts";
import type { Line } from "./open-hour.ts";
import type { RollUps } from "./roll-ups.ts";
import type { Steps } from "./steps.ts";

/** Where a line counts. */
export interface SignedSum {
  readonly sums: Float64Array;
  readonly sign: 1 | -1;
}

/** Sums lines up to the steps of an answer: from what is on the disk, and from the hour that is under way. */
export class LineSums {
  readonly #file: SeriesFile;
  readonly #steps: Steps;
  /** Of each step of the answer only the last minute counts, so far as minutes are known. */
  readonly #lastOnly: boolean;
  readonly #knownTo: number;
  /** To which step of the answer the steps of a chunk belong, by its begin: lines have chunks that begin together. */
  readonly #places = new Map<number, Int32Array>();
  readonly #openPlaces: Int32Array;

  constructor({ openHour, sampledUntil }: RollUps, file: SeriesFile, steps: Steps, lastOnly: boolean) {
    this.#file = file;
    this.#steps = steps;
    this.#lastOnly = lastOnly;
    this.#knownTo = sampledUntil;
    this.#openPlaces = this.#placesFrom(openHour, minute, minutesPerHour);
  }

  /** Adds a line to sums: each key from the place where its first step is summed up. Keys without one do not count. */
  add(line: Line, into: readonly SignedSum[], firstOf: (key: string) => number | undefined): void {
    const firsts: (number | undefined)[] = [];
    for (const [key, no] of line.keys) firsts[no] = firstOf(key);
    const column = new SummedColumn(into);
    const columnOf = (key: number) => column.from(firsts[key]);
    const { level, stepMs, first, count } = this.#steps;
    for (const [start, bytes] of this.#file.chunks(level, line.id, first, first + count * stepMs)) {
      column.places = this.#placesOf(start);
      readChunk(bytes, levels[level].perChunk, columnOf);
    }
    column.places = this.#openPlaces;
    line.minutes.read(columnOf);
  }

  #placesOf(start: number): Int32Array {
    const known = this.#places.get(start);
    if (known !== undefined) return known;
    const { stepMs, perChunk } = levels[this.#steps.level];
    const places = this.#placesFrom(start, stepMs, perChunk);
    this.#places.set(start, places);
    return places;
  }

  /** -1 is outside. */
  #placesFrom(start: number, eachMs: number, steps: number): Int32Array {
    const { stepMs, first, count } = this.#steps;
    return Int32Array.from({ length: steps }, (_, step) => {
      const end = start + (step + 1) * eachMs;
      if (this.#lastOnly && end !== this.#knownTo && (end - first) % stepMs !== 0) return -1;
      const place = Math.floor((start + step * eachMs - first) / stepMs);
      return place >= 0 && place < count ? place : -1;
    });
  }
}

/** Adds what comes in to the steps of an answer. */
class SummedColumn implements Column {
  places: Int32Array = new Int32Array();
  readonly #into: readonly SignedSum[];
  #first = 0;

  constructor(into: readonly SignedSum[]) {
    this.#into = into;
  }

  from(first: number | undefined): this | undefined {
    if (first === undefined) return undefined;
    this.#first = first;
    return this;
  }

  add(step: number, values: Float64Array, count: number): void {
    for (const { sums, sign } of this.#into)
      for (let no = 0; no < count; no++) {
        const place = this.places[step + no]!;
        if (place >= 0) sums[this.#first + place]! += sign * values[no]!;
      }
  }
}
