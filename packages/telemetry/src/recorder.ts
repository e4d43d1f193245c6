import { type Batch, rowsIn } from "./batch.ts";
import { Buffer } from "./buffer.ts";
import { packChunk } from "./chunk.ts";
import { baseMs, type Level, type TelemetryFile } from "./file.ts";
import type { Keeper, PlacedChunk } from "./keeper.ts";
import { Merged } from "./merge.ts";
import { partsNeeded, partsOf } from "./part.ts";
import type { Kept } from "./select.ts";
import { sorted } from "./sort.ts";
import type { Columns, RowKey } from "./table.ts";
import { type View, views } from "./view.ts";

/** Samples of a minute may come this late; later ones make a chunk of their own. */
const graceMs = 5_000;
/** The most rows in memory: a minute of 200,000 GPUs. */
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
  take(batch: Batch, keys: ReadonlyMap<number, RowKey>): number {
    const room = bufferedMax - this.buffers.reduce((sum, { count }) => sum + count, 0);
    const byMinute = new Map<number, number[]>();
    let taken = 0;
    for (let row = 0; row < batch.count; row++) {
      if (taken === room || !keys.has(batch.lines[row]!)) continue;
      taken++;
      const at = batch.at[row]!;
      if (at > this.#newestAt) this.#newestAt = at;
      const minute = Math.floor((at - 1) / baseMs[1]);
      const rows = byMinute.get(minute);
      if (rows === undefined) byMinute.set(minute, [row]);
      else rows.push(row);
    }
    const keyOf = (line: number) => keys.get(line)!;
    for (const [minute, rows] of byMinute)
      this.#bufferOf(minute).add(rows.length === batch.count ? batch : rowsIn(batch, rows), keyOf);
    return batch.count - taken;
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

  #bufferOf(minute: number): Buffer {
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
      buffer.close();
      yield;
      for (const view of views) {
        const rows = buffer.at(view);
        yield* pack(rows, view, 0, chunks);
        yield* pack(new Merged(rows, baseMs[1], view), view, 1, chunks);
        buffer.forget(view);
      }
    }
    this.keeper.store(chunks);
    this.#closing.clear();
    this.keeper.expire(this.#newestAt);
  }
}

function* pack(rows: Columns, view: View, level: Level, into: PlacedChunk[]): Generator<void> {
  const parts = partsOf(view, rows.keys, partsNeeded(view, rows.keys.length));
  yield;
  for (const { part, keys, order } of sorted(rows, parts)) {
    into.push({ ...packChunk(part, rows, keys, order), view, level });
    yield;
  }
}
