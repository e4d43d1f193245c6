import { absent, type FrameColumn, metricNames } from "./columns.ts";
import { idleBelow } from "./port.ts";
import type { Values } from "./varint.ts";

/** Rows as they come from the thread that collects them: lines by their numbers, and a column for each value. */
export interface Batch {
  readonly count: number;
  readonly lines: Int32Array<ArrayBuffer>;
  readonly at: Float64Array<ArrayBuffer>;
  readonly spanMs: Int32Array<ArrayBuffer>;
  readonly share: Int32Array<ArrayBuffer>;
  /** In the order of the columns; undefined = no row has it, or it has been taken out. */
  readonly metrics: (Int32Array<ArrayBuffer> | undefined)[];
}

/** The memory of a batch, which is handed over without being copied. */
export function memoryOf({ lines, at, spanMs, share, metrics }: Batch): ArrayBuffer[] {
  return [lines, at, spanMs, share, ...metrics].flatMap((column) => column?.buffer ?? []);
}

/** Some rows of a batch. */
export function rowsIn(batch: Batch, rows: readonly number[]): Batch {
  const some = (column: Int32Array) => Int32Array.from(rows, (row) => column[row]!);
  return {
    count: rows.length,
    lines: some(batch.lines),
    at: Float64Array.from(rows, (row) => batch.at[row]!),
    spanMs: some(batch.spanMs),
    share: some(batch.share),
    metrics: batch.metrics.map((column) => column && some(column)),
  };
}

const smColumn = metricNames.indexOf("sm");

export function frameIn(batch: Batch, name: FrameColumn): Values {
  switch (name) {
    case "at":
      return batch.at;
    case "span":
    case "ms":
      return batch.spanMs;
    case "share":
      return batch.share;
    case "active":
      return sharesWhere(batch, (sm) => sm !== absent);
    case "idle":
      return sharesWhere(batch, (sm) => sm !== absent && sm < idleBelow);
  }
}

function sharesWhere({ count, share, metrics }: Batch, counts: (sm: number) => boolean): Int32Array {
  const sm = metrics[smColumn];
  const held = new Int32Array(count);
  if (sm === undefined) return held;
  for (let row = 0; row < count; row++) if (counts(sm[row]!)) held[row] = share[row]!;
  return held;
}
