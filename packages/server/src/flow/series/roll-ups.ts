import { day, hour, minute } from "@tessera/core";
import type { Mark, SeriesFile } from "./file.ts";
import { levels } from "./levels.ts";
import type { LineName, Sink } from "./lines.ts";
import { type Line, OpenHour } from "./open-hour.ts";

/**
 * Sums per minute, ten minutes, hour and day, and how far they have come. Counts are added up; of what stands, samples
 * are, and their number is the line `samples`.
 */
export class RollUps implements Sink {
  readonly #file: SeriesFile;
  readonly #hour: OpenHour;
  #seq: number;
  #checked: { readonly seq: number; readonly hash: string };
  /** Where the minute begins that is under way: what happens now counts in it. 0 = not begun. */
  #openMinute: number;

  constructor(file: SeriesFile, warn: (text: string) => void) {
    this.#file = file;
    const { seq, checked, sampledUntil } = file.mark() ?? { seq: 0, checked: { seq: 0, hash: "" }, sampledUntil: 0 };
    this.#seq = seq;
    this.#checked = checked;
    this.#openMinute = sampledUntil;
    this.#hour = new OpenHour(file, warn);
  }

  /** The last row of the journal that is in here. */
  get seq(): number {
    return this.#seq;
  }

  /** A row whose hash is known: the journal must have it. */
  get checked(): { readonly seq: number; readonly hash: string } {
    return this.#checked;
  }

  /** Up to here all is known: what happened, and what stood at the end of each minute. 0 = not begun. */
  get sampledUntil(): number {
    return this.#openMinute;
  }

  /** The begin of the minute that is under way: of it is known what happened so far, but not yet what stands. */
  get openMinute(): number {
    return this.#openMinute;
  }

  /** Values that were left out because there are too many lines, or too many keys of one. */
  get dropped(): number {
    return this.#hour.dropped;
  }

  /** The begin of the hour that is under way: its minutes are in memory, those before are in the rows of all levels. */
  get openHour(): number {
    return Math.floor(this.#openMinute / hour) * hour;
  }

  line(name: LineName, account: string): Line | undefined {
    return this.#hour.line(name, account);
  }

  /** The first instant that is known. */
  begin(at: number): void {
    this.#openMinute = Math.floor(at / minute) * minute;
  }

  /** Adds to the minute that is under way. */
  add(name: LineName, account: string, key: string, value: number): void {
    this.#hour.add(name, account, key, (this.#openMinute - this.openHour) / minute, value);
  }

  took(seq: number): void {
    this.#seq = seq;
  }

  /**
   * The minute that is under way ends at `at` with what stands then. Where nothing changes for whole hours from then on,
   * the same stands at the end of each of their minutes.
   */
  endMinute(at: number, silentHours: number, stand: (sink: Sink) => void): void {
    stand(this);
    this.#beginMinute(at);
    // Of a long silence only as much is filled as is kept.
    const until = at + silentHours * hour;
    const from = Math.max(at, until - levels[2].keptMs);
    if (from > at) this.#beginMinute(from);
    while (this.#openMinute < until) {
      stand(this);
      this.#beginMinute(this.#openMinute + minute);
    }
  }

  /** Writes what changed. `hash` is that of row `seq`. */
  write(hash: string): void {
    this.#checked = { seq: this.#seq, hash };
    this.#file.together(this.#mark(), () => this.#hour.write());
  }

  #mark(): Mark {
    return { seq: this.#seq, checked: this.#checked, sampledUntil: this.sampledUntil };
  }

  /** The next minute begins at `at`; the hour before it is closed if it begins another one. */
  #beginMinute(at: number): void {
    const before = this.openHour;
    if (Math.floor(at / hour) * hour !== before) this.#closeHour(before);
    this.#openMinute = at;
    if (at % day === 0) this.#file.together(this.#mark(), () => this.#hour.dropOld(at));
  }

  #closeHour(from: number): void {
    // Written with the row that is complete in here; the next ones count into the hour that begins.
    this.#file.together({ ...this.#mark(), sampledUntil: from + hour }, () => this.#hour.close(from));
  }
}
