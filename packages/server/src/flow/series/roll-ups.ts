import type { SeriesFile } from "./file.ts";
import { chunkStart, levels } from "./levels.ts";
import type { LineName, Sink } from "./lines.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const minutesPerHour = 60;

/** Lines beyond this many are not begun: accounts and models are numbers that others choose. */
const linesMax = 30_000;

export interface Line {
  readonly id: number;
  readonly name: LineName;
  readonly account: string;
  readonly key: string;
  /** The minutes of the open hour. */
  readonly minutes: Float64Array;
  changed: boolean;
}

/**
 * Sums per minute, ten minutes, hour and day. The hour that is under way is here, minute by minute; when it is over it goes
 * into the coarser levels. Counts are added up; of what stands, samples are, and their number is the line `samples`.
 */
export class RollUps implements Sink {
  readonly #file: SeriesFile;
  readonly #lines = new Map<string, Line>();
  /** Lines by name, for questions. */
  readonly byName = new Map<LineName, Set<Line>>();
  #seq = 0;
  #checked = { seq: 0, hash: "" };
  /** The last full minute at which what stands was read; the open minute begins here. 0 = not begun. */
  #sampledUntil = 0;
  #dropped = 0;

  constructor(file: SeriesFile) {
    this.#file = file;
    const mark = file.mark();
    for (const { id, name, account, key } of file.lines()) this.#keep(id, name, account, key);
    if (mark === undefined) return;
    this.#seq = mark.seq;
    this.#checked = mark.checked;
    this.#sampledUntil = mark.sampledUntil;
    for (const line of this.#lines.values()) line.minutes.set(file.chunk(0, line.id, this.openHour) ?? []);
  }

  /** The last row of the journal that is in here. */
  get seq(): number {
    return this.#seq;
  }

  /** A row whose hash is known: the journal must have it. */
  get checked(): { readonly seq: number; readonly hash: string } {
    return this.#checked;
  }

  get sampledUntil(): number {
    return this.#sampledUntil;
  }

  /** Lines that were not begun because there are too many. */
  get dropped(): number {
    return this.#dropped;
  }

  get openHour(): number {
    return Math.floor(this.#sampledUntil / hour) * hour;
  }

  /** The first instant that is known. */
  begin(at: number): void {
    this.#sampledUntil = Math.floor(at / minute) * minute;
  }

  /** A count, of now. */
  add(name: LineName, account: string, key: string, value: number): void {
    this.#put(name, account, key, this.#sampledUntil, value);
  }

  took(seq: number): void {
    this.#seq = seq;
  }

  /**
   * What stands at the full minute `at` is written into the minute that ends there; and, where nothing changes for whole
   * hours from then on, into these too.
   */
  stand(at: number, silentHours: number, sample: (sink: Sink) => void): void {
    const values = new Map<Line, number>();
    const ends = at - minute;
    sample({
      add: (name, account, key, value) => {
        const line = this.#put(name, account, key, ends, value);
        if (line !== undefined) values.set(line, (values.get(line) ?? 0) + value);
      },
    });
    this.#moveTo(at);
    if (silentHours === 0) return;
    // Of a long silence only as much is filled as is kept.
    const hours = Math.min(silentHours, levels[2].keptMs / hour);
    for (let no = 0; no < hours; no++) {
      const from = at + (silentHours - hours + no) * hour;
      this.#sampledUntil = from;
      for (const [line, value] of values) {
        line.minutes.fill(value);
        line.changed = true;
      }
      this.#moveTo(from + hour);
    }
  }

  /** Writes what changed. `hash` is that of row `seq`. */
  write(hash: string): void {
    this.#checked = { seq: this.#seq, hash };
    this.#file.together(this.#mark(), () => {
      for (const line of this.#lines.values()) {
        if (!line.changed) continue;
        this.#file.put(0, line.id, this.openHour, line.minutes);
        line.changed = false;
      }
    });
  }

  #mark() {
    return { seq: this.#seq, checked: this.#checked, sampledUntil: this.#sampledUntil };
  }

  #put(name: LineName, account: string, key: string, at: number, value: number): Line | undefined {
    if (value === 0) return undefined;
    const line = this.#lines.get(`${name}\n${account}\n${key}`) ?? this.#begin(name, account, key);
    if (line === undefined) return undefined;
    line.minutes[Math.floor((at % hour) / minute)]! += value;
    line.changed = true;
    return line;
  }

  #begin(name: LineName, account: string, key: string): Line | undefined {
    if (this.#lines.size >= linesMax) {
      this.#dropped++;
      return undefined;
    }
    return this.#keep(this.#file.newLine(name, account, key), name, account, key);
  }

  #keep(id: number, name: LineName, account: string, key: string): Line {
    const line = { id, name, account, key, minutes: new Float64Array(minutesPerHour), changed: false };
    this.#lines.set(`${name}\n${account}\n${key}`, line);
    const alike = this.byName.get(name);
    if (alike === undefined) this.byName.set(name, new Set([line]));
    else alike.add(line);
    return line;
  }

  /** The open minute begins at `at` now. */
  #moveTo(at: number): void {
    const before = this.openHour;
    if (Math.floor(at / hour) * hour !== before) this.#close(before);
    this.#sampledUntil = at;
    if (at % day === 0) this.#forget(at);
  }

  /** An hour is over: its minutes stay, and their sums go into the coarser levels. */
  #close(from: number): void {
    // Written with the row that is complete in here; the next ones count into the hour that begins.
    this.#file.together({ ...this.#mark(), sampledUntil: from + hour }, () => {
      for (const line of this.#lines.values()) {
        if (!line.changed && line.minutes.every((value) => value === 0)) continue;
        this.#file.put(0, line.id, from, line.minutes);
        for (const level of [1, 2, 3] as const) this.#fold(level, line, from);
        line.minutes.fill(0);
        line.changed = false;
      }
    });
  }

  #fold(level: 1 | 2 | 3, line: Line, from: number): void {
    const { stepMs, perChunk } = levels[level];
    const amounts = this.#file.chunk(level, line.id, from) ?? new Float64Array(perChunk);
    const start = chunkStart(level, from);
    // An hour closes once, together with the mark, so its sum is added once, also where a step has many hours.
    for (const [i, amount] of line.minutes.entries())
      amounts[Math.floor((from + i * minute - start) / stepMs)]! += amount;
    this.#file.put(level, line.id, from, amounts);
  }

  #forget(now: number): void {
    this.#file.dropOld(now);
    const left = new Set(this.#file.lines().map(({ id }) => id));
    for (const [at, line] of this.#lines) {
      if (left.has(line.id)) continue;
      this.#lines.delete(at);
      this.byName.get(line.name)?.delete(line);
    }
  }
}
