import { type Chunk, packChunk } from "./chunk.ts";
import { baseMs, type Level, type TelemetryFile } from "./file.ts";
import { Merged } from "./merge.ts";
import { countIn, partsOf } from "./part.ts";
import { sharePerMille, type TelemetrySettings } from "./settings.ts";
import { sorted } from "./sort.ts";
import { type Columns, Joined } from "./table.ts";
import { type View, views } from "./view.ts";

export type PlacedChunk = Chunk & { readonly view: View; readonly level: Level };

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A stretch of one part, whose chunks others take the place of. */
interface Replaced extends Stretch {
  readonly view: View;
  readonly part: string;
  readonly levels: readonly Level[];
}

/** A chunk takes whole pages and entries in the indexes. */
const overheadPerChunk = 4_096;
/** For the index of the log and for pages that are split. */
const reserveBytes = 256 * 1024;
/** The log is emptied when it has grown to this, or to this part of the size: that waits for the disk. */
const logBytesMax = 8 * 2 ** 20;
const logOfSize = 1 / 16;
/** Minutes of an hour may come this late. */
const hourGraceMs = 2 * 60_000;
const dayMs = 24 * baseMs[2];
/** The parts that chunks of layout 1 are brought to. */
const firstLayoutParts: { readonly [Name in View]: number } = { gpu: 64, lease: 64, group: 1 };
const everyLevel: readonly (readonly [Level, View])[] = ([0, 1, 2] as const).flatMap((level) =>
  views.map((view) => [level, view] as const),
);

/** Keeps chunks within the settings, and makes fewer and wider ones of old ones. */
export class Keeper {
  readonly file: TelemetryFile;
  readonly #settings: TelemetrySettings;
  /** What may be in the log. */
  #logBytes = 0;

  constructor(file: TelemetryFile, settings: TelemetrySettings) {
    this.file = file;
    this.#settings = settings;
    file.guard(() => {
      this.#makeRoom(0);
      file.shrink(settings.bytesMax);
    }, undefined);
  }

  /** Adds chunks, all or none, in the place of those of a stretch. */
  store(chunks: readonly PlacedChunk[], instead?: Replaced): void {
    if (this.file.bytesFree < this.#settings.freeBytesMin) throw new Error("the disk is nearly full");
    this.file.guard(() => {
      const bytes = chunks.reduce((sum, { body }) => sum + body.length + overheadPerChunk, 0);
      this.#makeRoom(bytes);
      this.file.atOnce(() => {
        if (instead !== undefined)
          for (const level of instead.levels) this.file.drop({ ...instead, level }, instead.part);
        for (const chunk of chunks) this.file.insert(chunk.view, chunk.level, chunk);
      });
      this.#logBytes += bytes;
      if (this.#logBytes > Math.min(logBytesMax, this.#settings.bytesMax * logOfSize)) this.settle();
    }, undefined);
  }

  /** What was stored is on the disk, and the log is empty. */
  settle(): void {
    this.file.guard(() => this.file.settle(), undefined);
    this.#logBytes = 0;
  }

  expire(now: number): void {
    const { rawMs, minuteMs, hourMs } = this.#settings;
    const ages = [rawMs, minuteMs, hourMs] as const;
    this.file.guard(() => {
      for (const [level, view] of everyLevel) this.file.expire(level, view, now - ages[level]);
    }, undefined);
  }

  /** The begin of the first hour that is over and not made yet. */
  nextHour(now: number): number | undefined {
    const oldest = this.file.oldest(1);
    if (oldest === undefined) return undefined;
    const first = Math.max(this.file.hourMark, Math.floor((oldest - 1) / baseMs[2]) * baseMs[2]);
    return first + baseMs[2] + hourGraceMs <= now ? first : undefined;
  }

  /** Makes an hour of its minutes, and one chunk of the sixty of each part. Done twice it changes nothing. */
  *makeHour(from: number): Generator<void> {
    const hour = { from, to: from + baseMs[2] };
    for (const view of views) {
      yield* this.#align(view, 1, hour);
      for (const part of this.file.parts({ view, level: 1, ...hour })) {
        const minutes = this.#rows(view, 1, part, hour);
        yield;
        const chunks = [
          ...placed(minutes, part, view, 1),
          ...placed(new Merged(minutes, baseMs[2], view), part, view, 2),
        ];
        this.store(chunks, { view, part, levels: [1, 2], ...hour });
        yield;
      }
    }
    this.file.setHourMark(hour.to);
    if (hour.to % dayMs === 0) yield* this.#joinDay({ from: hour.to - dayMs, to: hour.to });
  }

  *#joinDay(day: Stretch): Generator<void> {
    for (const view of views) {
      yield* this.#align(view, 2, day);
      for (const part of this.file.parts({ view, level: 2, ...day })) {
        const hours = this.#rows(view, 2, part, day);
        this.store(placed(hours, part, view, 2), { view, part, levels: [2], ...day });
        yield;
      }
    }
  }

  /** Splits chunks of fewer parts than others of the stretch have, so that each part can be joined by itself. */
  *#align(view: View, level: Level, stretch: Stretch): Generator<void> {
    const parts = this.file.parts({ view, level, ...stretch });
    const most = Math.max(1, ...parts.map((part) => countIn(part) ?? firstLayoutParts[view]));
    for (const part of parts) {
      if (countIn(part) === most) continue;
      const rows = this.#rows(view, level, part, stretch);
      const chunks = sorted(rows, partsOf(view, rows.keys, most)).map(({ part: own, keys, order }) => ({
        ...packChunk(own, rows, keys, order),
        view,
        level,
      }));
      this.store(chunks, { view, part, levels: [level], ...stretch });
      yield;
    }
  }

  #rows(view: View, level: Level, part: string, stretch: Stretch): Columns {
    return new Joined([...this.file.read({ view, level, ...stretch, parts: [part] })]);
  }

  /** Deletes the oldest of the view and level that is furthest beyond its part of the size, until there is room. */
  #makeRoom(bytes: number): void {
    const { bytesMax } = this.#settings;
    // What is written is in the log first and then for a moment in both.
    while (this.file.bytesUsed + this.#logBytes + 2 * bytes > bytesMax - reserveBytes) {
      const fullest = everyLevel.toSorted((a, b) => this.#fullness(...b) - this.#fullness(...a));
      if (!fullest.some(([level, view]) => this.file.dropOldest(level, view))) return;
    }
  }

  #fullness(level: Level, view: View): number {
    return this.file.bytesOf(level, view) / sharePerMille[view][level];
  }
}

/** The rows of one part as a chunk, if there are any. */
function placed(rows: Columns, part: string, view: View, level: Level): PlacedChunk[] {
  return sorted(
    rows,
    rows.keys.map(() => part),
  ).map(({ keys, order }) => ({ ...packChunk(part, rows, keys, order), view, level }));
}
