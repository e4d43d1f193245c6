import { minute } from "@tessera/core";
import { Chunk } from "./chunk.ts";
import type { SeriesFile, StoredLine } from "./file.ts";
import { chunkStart, type LevelNo, levelNos, levels } from "./levels.ts";
import { isOfLast, type LineName } from "./lines.ts";

/** Lines beyond this many are not begun: accounts are a number that others choose. */
const linesMax = 30_000;
/** Nor keys of a line, such as models; the 96 slots of waits have room. */
const keysMax = 128;

export interface Line extends StoredLine {
  /** What its keys hold in the minutes of the hour. */
  minutes: Chunk;
  changed: boolean;
}

/** The lines, with what they hold in the hour that is under way: minute by minute, and on the disk from time to time. */
export class OpenHour {
  readonly #file: SeriesFile;
  readonly #warn: (text: string) => void;
  readonly #byName = new Map<LineName, Map<string, Line>>();
  #count = 0;
  #dropped = 0;

  constructor(file: SeriesFile, warn: (text: string) => void) {
    this.#file = file;
    this.#warn = warn;
    for (const stored of file.lines()) this.#keep(stored, file.openHour(stored.id));
  }

  line(name: LineName, account: string): Line | undefined {
    return this.#byName.get(name)?.get(account);
  }

  /** Values that were left out because there are too many lines, or too many keys of one. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Minutes come in their order. */
  add(name: LineName, account: string, key: string, minuteNo: number, value: number): void {
    if (value === 0) return;
    const line = this.line(name, account) ?? this.#beginLine(name, account);
    const no = line?.keys.get(key) ?? this.#beginKey(line, key);
    if (line === undefined || no === undefined) {
      this.#drop(name, account, key);
      return;
    }
    line.minutes.add(no, minuteNo, value);
    line.changed = true;
  }

  /** Stores what changed. */
  write(): void {
    for (const line of this.#lines()) {
      if (!line.changed) continue;
      this.#file.putOpenHour(line.id, line.minutes);
      line.changed = false;
    }
  }

  /** The hour that began then is over: what its minutes hold goes into the rows of each level. */
  close(from: number): void {
    for (const line of this.#lines()) {
      if (line.minutes.isEmpty) continue;
      for (const level of levelNos) this.#fold(level, line, from);
      line.minutes = new Chunk();
      line.changed = false;
    }
    this.#file.closeHour();
  }

  /** Between two hours: drops what is older than it is kept. */
  dropOld(now: number): void {
    this.#file.dropOld(now);
    this.#byName.clear();
    this.#count = 0;
    for (const stored of this.#file.lines()) this.#keep(stored);
  }

  *#lines(): Generator<Line> {
    for (const byAccount of this.#byName.values()) yield* byAccount.values();
  }

  /**
   * An hour closes once, together with the mark, so its sum is added once, also where a step has many hours. Of a line
   * whose last minute stands for a step, that one is the sum.
   */
  #fold(level: LevelNo, { id, name, minutes }: Line, from: number): void {
    const chunk = this.#file.chunk(level, id, from) ?? new Chunk();
    const start = chunkStart(level, from);
    const { stepMs } = levels[level];
    const stepOf = (minuteNo: number) => Math.floor((from + minuteNo * minute - start) / stepMs);
    const counts = (minuteNo: number) => !isOfLast(name) || (from + (minuteNo + 1) * minute) % stepMs === 0;
    minutes.read((key) => ({
      add(first, values, count) {
        for (let no = 0; no < count; no++) if (counts(first + no)) chunk.add(key, stepOf(first + no), values[no]!);
      },
    }));
    this.#file.put(level, id, from, chunk);
  }

  #beginLine(name: LineName, account: string): Line | undefined {
    if (this.#count >= linesMax) return undefined;
    return this.#keep({ id: this.#file.newLine(name, account), name, account, keys: new Map() });
  }

  #beginKey(line: Line | undefined, key: string): number | undefined {
    if (line === undefined || line.keys.size >= keysMax) return undefined;
    const taken = new Set(line.keys.values());
    let no = 0;
    while (taken.has(no)) no++;
    this.#file.newKey(line.id, no, key);
    line.keys.set(key, no);
    return no;
  }

  #keep(stored: StoredLine, minutes = new Chunk()): Line {
    const line = { ...stored, minutes, changed: false };
    const byAccount = this.#byName.get(line.name) ?? new Map<string, Line>();
    this.#byName.set(line.name, byAccount.set(line.account, line));
    this.#count++;
    return line;
  }

  #drop(name: LineName, account: string, key: string): void {
    if (this.#dropped === 0)
      this.#warn(
        `charts do not count ${name} of account ${account}${key && ` (${key})`}, and maybe more: the series keep at most ${linesMax} lines of ${keysMax} keys`,
      );
    this.#dropped++;
  }
}
