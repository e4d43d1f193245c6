import { type Chunk, chunksOf } from "./chunk.ts";
import { baseMs, type Level, type TelemetryFile } from "./file.ts";
import { merged } from "./merge.ts";
import { levelPerMille, type TelemetrySettings } from "./settings.ts";
import { joined } from "./table.ts";
import { type View, views } from "./view.ts";

export type PlacedChunk = Chunk & { readonly view: View; readonly level: Level };

/** A stretch of one part, whose chunks others take the place of. */
interface Stretch {
  readonly view: View;
  readonly part: string;
  readonly levels: readonly Level[];
  readonly from: number;
  readonly to: number;
}

/** A chunk takes whole pages and entries in the indexes. */
const overheadPerChunk = 4_096;
/** For the index of the log and for pages that are split. */
const reserveBytes = 256 * 1024;
/** Minutes of an hour may come this late. */
const hourGraceMs = 2 * 60_000;
const dayMs = 24 * baseMs[2];

/** Keeps chunks within the settings, and makes fewer and wider ones of old ones. */
export class Keeper {
  readonly file: TelemetryFile;
  readonly #settings: TelemetrySettings;

  constructor(file: TelemetryFile, settings: TelemetrySettings) {
    this.file = file;
    this.#settings = settings;
    file.guard(() => {
      this.#makeRoom(0);
      file.shrink(settings.bytesMax);
    }, undefined);
  }

  /** Adds chunks, all or none, in the place of those of a stretch. */
  store(chunks: readonly PlacedChunk[], instead?: Stretch): void {
    if (this.file.bytesFree < this.#settings.freeBytesMin) throw new Error("the disk is nearly full");
    this.file.guard(() => {
      this.#makeRoom(chunks.reduce((sum, { body }) => sum + body.length + overheadPerChunk, 0));
      this.file.atOnce(() => {
        if (instead !== undefined)
          for (const level of instead.levels) this.file.drop({ ...instead, level }, instead.part);
        for (const chunk of chunks) this.file.insert(chunk.view, chunk.level, chunk);
      });
      this.file.settle();
    }, undefined);
  }

  expire(now: number): void {
    const { rawMs, minuteMs, hourMs } = this.#settings;
    this.file.guard(() => {
      this.file.expire(0, now - rawMs);
      this.file.expire(1, now - minuteMs);
      this.file.expire(2, now - hourMs);
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
    const to = from + baseMs[2];
    for (const view of views) {
      for (const part of this.file.parts({ view, level: 1, from, to })) {
        const minutes = joined(this.file.read({ view, level: 1, from, to, parts: [part] }));
        yield;
        const chunks = [
          ...placed(
            chunksOf(minutes, () => part),
            view,
            1,
          ),
          ...placed(
            chunksOf(merged([minutes], baseMs[2], view), () => part),
            view,
            2,
          ),
        ];
        this.store(chunks, { view, part, levels: [1, 2], from, to });
        yield;
      }
    }
    this.file.setHourMark(to);
    if (to % dayMs === 0) yield* this.#joinDay(to - dayMs, to);
  }

  *#joinDay(from: number, to: number): Generator<void> {
    for (const view of views) {
      for (const part of this.file.parts({ view, level: 2, from, to })) {
        const hours = joined(this.file.read({ view, level: 2, from, to, parts: [part] }));
        this.store(
          [
            ...placed(
              chunksOf(hours, () => part),
              view,
              2,
            ),
          ],
          { view, part, levels: [2], from, to },
        );
        yield;
      }
    }
  }

  /** Deletes the oldest of the level that is furthest beyond its part of the size, until there is room. */
  #makeRoom(bytes: number): void {
    const { bytesMax } = this.#settings;
    // What is written is in the log first and then for a moment in both.
    while (this.file.bytesUsed + 2 * bytes > bytesMax - reserveBytes) {
      const fullest = ([0, 1, 2] as const).toSorted((a, b) => this.#fullness(b) - this.#fullness(a));
      if (!fullest.some((level) => this.file.dropOldest(level))) return;
    }
  }

  #fullness(level: Level): number {
    return this.file.bytesOf(level) / levelPerMille[level];
  }
}

export function* placed(chunks: Iterable<Chunk>, view: View, level: Level): Generator<PlacedChunk> {
  for (const chunk of chunks) yield { ...chunk, view, level };
}
