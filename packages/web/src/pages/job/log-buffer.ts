import type { LogEntry } from "@tessera/wire";
import { LogPosition } from "@tessera/wire/log-position";

/** A line with a number of its own: lines of slow ranks come between others, and the oldest are dropped. */
export interface LogLine extends LogEntry {
  readonly no: number;
}

/** What begins a reading: the server's time, and whose attempt is read. */
export interface Begin {
  readonly at: string;
  readonly attempt?: number;
}

/** What one reading has brought of a rank. */
interface Brought {
  /** Lines from before the reading began. */
  earlier: number;
  firstAt: string;
  /** It reaches back to lines that were there already. */
  meets: boolean;
  /** It is known not to: lines between are missing. */
  misses: boolean;
}

let numbers = 0;

/** The newest lines of a log, put together from one reading after the other: none is lost and none is there twice. */
export class LogBuffer {
  readonly #linesMax: number;
  #position = new LogPosition();
  #begin: Begin | undefined;
  #tail = 0;
  #brought = new Map<number, Brought>();
  /** The ranks that have printed, in this reading and before it. */
  #ranks = new Set<number>();
  #before = new Set<number>();
  #lines: readonly LogLine[] = [];
  #cut = false;

  constructor(linesMax: number) {
    this.#linesMax = linesMax;
  }

  /** By time. The same array until lines come. */
  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** Whether there are lines before them. */
  get cut(): boolean {
    return this.#cut;
  }

  /** From where to read on; undefined = as much as is wanted at all. */
  since(ranks: number): string | undefined {
    return this.#position.since(ranks);
  }

  /** Another reading begins, of at most `tail` lines of each rank; another attempt has a log of its own. */
  begin(begin: Begin, tail: number): void {
    if (this.#begin !== undefined && begin.attempt !== this.#begin.attempt) {
      this.#position = new LogPosition();
      this.#ranks = new Set();
      this.#lines = [];
      this.#cut = false;
    }
    this.#begin = begin;
    this.#tail = tail;
    this.#brought = new Map();
    this.#before = new Set(this.#ranks);
    this.#position.begin();
  }

  add(entries: readonly LogEntry[]): void {
    const fresh = entries.filter((entry) => this.#take(entry)).map((entry) => ({ ...entry, no: numbers++ }));
    if (fresh.length === 0) return;
    this.#lines = addByTime(this.#lines, fresh);
    for (const [rank, brought] of this.#brought) this.#close(rank, brought);
    if (this.#lines.length > this.#linesMax) {
      this.#lines = this.#lines.slice(-this.#linesMax);
      this.#cut = true;
    }
  }

  #take(entry: LogEntry): boolean {
    const { rank, at } = entry;
    const isNew = this.#position.take(entry);
    const brought = this.#brought.get(rank) ?? { earlier: 0, firstAt: at, meets: false, misses: false };
    this.#brought.set(rank, brought);
    this.#ranks.add(rank);
    if (at < (this.#begin?.at ?? "")) brought.earlier++;
    if (!isNew) brought.meets = true;
    return isNew;
  }

  /** Where a reading did not reach back to what was there, lines between are missing: what is before goes. */
  #close(rank: number, brought: Brought): void {
    if (brought.misses || brought.meets || brought.earlier < this.#tail) return;
    brought.misses = true;
    this.#cut = true;
    if (this.#before.has(rank)) this.#lines = this.#lines.filter(({ at }) => at >= brought.firstAt);
  }
}

/** Both by time; the server sends lines in order, but those of a rank that was slow to answer come after others. */
export function addByTime<Line extends LogEntry>(all: readonly Line[], later: readonly Line[]): Line[] {
  const joined = [...all, ...later];
  const last = all.at(-1);
  const inOrder = later.every(({ at }, i) => at >= (i === 0 ? (last?.at ?? "") : later[i - 1]!.at));
  return inOrder ? joined : joined.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
