import { type Batch, Buffer } from "./buffer.ts";
import { chunksOf } from "./chunk.ts";
import { baseMs, type TelemetryFile } from "./file.ts";
import { type Keeper, type PlacedChunk, placed } from "./keeper.ts";
import { merged } from "./merge.ts";
import type { Kept } from "./select.ts";
import type { RowKey } from "./table.ts";
import { partOf, views } from "./view.ts";

/** Samples of a minute may come this late; later ones make a chunk of their own. */
const graceMs = 5_000;
/** So many rows are in memory at most: a minute of 200,000 GPUs. */
const bufferedMax = 1_200_000;
/** Minutes that come at once, of a time that is simulated or was kept elsewhere, are written together. */
const minutesAtOnce = 60;

/** Takes samples in and writes them by the minute; what has to be done is done in pieces, so that questions get their turn. */
export class Recorder implements Kept {
  readonly keeper: Keeper;
  readonly #open = new Map<number, Buffer>();
  /** Being written: still read from here. */
  readonly #closing = new Set<Buffer>();
  #newestAt = 0;
  #work: Generator<void> | undefined;

  constructor(keeper: Keeper) {
    this.keeper = keeper;
  }

  get file(): TelemetryFile {
    return this.keeper.file;
  }

  get buffers(): Buffer[] {
    return [...this.#closing, ...this.#open.values()];
  }

  /** Takes rows in; returns how many there was no room for. */
  take(batch: Batch, keyOf: (line: number) => RowKey | undefined): number {
    let room = bufferedMax - this.buffers.reduce((sum, { raw }) => sum + raw.count, 0);
    let dropped = 0;
    for (let row = 0; row < batch.lines.length; row++) {
      const key = keyOf(batch.lines[row]!);
      if (key === undefined || room-- <= 0) {
        dropped++;
        continue;
      }
      const at = batch.at[row]!;
      this.#newestAt = Math.max(this.#newestAt, at);
      this.#bufferOf(at).add(batch, row, key);
    }
    return dropped;
  }

  /** Does a piece of what has to be done; false = there is nothing to do now. With `all`, no minute is waited for. */
  step(all = false): boolean {
    this.#work ??= this.#nextWork(all);
    if (this.#work === undefined) return false;
    try {
      if (this.#work.next().done) this.#work = undefined;
    } catch (error) {
      this.#work = undefined;
      this.#closing.clear(); // the disk is full, say: this minute is lost, the next may not be
      throw error;
    }
    return true;
  }

  #bufferOf(at: number): Buffer {
    const minute = Math.floor((at - 1) / baseMs[1]);
    let buffer = this.#open.get(minute);
    if (buffer === undefined) {
      buffer = new Buffer();
      this.#open.set(minute, buffer);
    }
    return buffer;
  }

  #nextWork(all: boolean): Generator<void> | undefined {
    const over = [...this.#open].filter(([minute]) => all || (minute + 1) * baseMs[1] + graceMs <= this.#newestAt);
    if (over.length > 0) return this.#writeMinutes(over.slice(0, minutesAtOnce));
    const hour = this.keeper.nextHour(this.#newestAt);
    return hour === undefined ? undefined : this.keeper.makeHour(hour);
  }

  /** Packing lets others in; then all of it is on the disk at once and gone from memory, so that no row is read twice. */
  *#writeMinutes(minutes: readonly (readonly [number, Buffer])[]): Generator<void> {
    const chunks: PlacedChunk[] = [];
    for (const [minute, buffer] of minutes) {
      this.#open.delete(minute);
      this.#closing.add(buffer);
      yield* this.#pack(buffer, chunks);
    }
    this.keeper.store(chunks);
    this.#closing.clear();
    this.keeper.expire(this.#newestAt);
  }

  *#pack(buffer: Buffer, chunks: PlacedChunk[]): Generator<void> {
    for (const view of views) {
      const rows = buffer.at(view);
      yield;
      const minutes = merged([rows], baseMs[1], view);
      const part = (key: RowKey) => partOf(view, key);
      yield;
      for (const chunk of placed(chunksOf(rows, part), view, 0)) {
        chunks.push(chunk);
        yield;
      }
      for (const chunk of placed(chunksOf(minutes, part), view, 1)) {
        chunks.push(chunk);
        yield;
      }
    }
  }
}
