import { absent, type FrameColumn, frameNames, type MetricColumn, metricNames } from "./columns.ts";
import type { Holder, TelemetryRow } from "./row.ts";

/** What the rows of one line have in common. Each view has some of the fields. */
export type RowKey = Partial<Holder & Pick<TelemetryRow, "node" | "gpu" | "instance" | "model" | "source">>;

export type ColumnName = FrameColumn | MetricColumn | "key";

/** Rows by columns, in memory or read from a chunk. */
export interface Columns {
  readonly keys: readonly RowKey[];
  readonly count: number;
  /** At least `count` long; undefined = no row has it. */
  column(name: ColumnName): Int32Array | Float64Array | undefined;
}

const rowsFirst = 1024;
const inFrame = new Map<ColumnName, number>(frameNames.map((name, index) => [name, index]));
const inMetrics = new Map<ColumnName, number>(metricNames.map((name, index) => [name, index]));

/** Rows in memory; grows. */
export class Table implements Columns {
  readonly keys: RowKey[] = [];
  count = 0;
  /** The key of each row, by its index in `keys`. */
  key = new Int32Array(rowsFirst);
  readonly frame: Float64Array[] = frameNames.map(() => new Float64Array(rowsFirst));
  readonly metrics: Int32Array[] = metricNames.map(() => new Int32Array(rowsFirst));

  column(name: ColumnName): Int32Array | Float64Array {
    if (name === "key") return this.key;
    return this.frame[inFrame.get(name) ?? -1] ?? this.metrics[inMetrics.get(name)!]!;
  }

  /** Adds a row, whose values the caller sets, and returns its index. */
  add(key: number): number {
    if (this.count === this.key.length) this.#grow();
    this.key[this.count] = key;
    return this.count++;
  }

  #grow(): void {
    const length = this.key.length * 2;
    this.key = longer(this.key, new Int32Array(length));
    for (const [index, column] of this.frame.entries()) this.frame[index] = longer(column, new Float64Array(length));
    for (const [index, column] of this.metrics.entries()) this.metrics[index] = longer(column, new Int32Array(length));
  }
}

function longer<Column extends Int32Array | Float64Array>(from: Column, into: Column): Column {
  into.set(from);
  return into;
}

/** All these rows in one table. Lines that have the same fields become one. */
export function joined(all: Iterable<Columns>): Table {
  const table = new Table();
  const places = new Map<string, number>();
  for (const rows of all) {
    const keys = rows.keys.map((key) => {
      const name = JSON.stringify(key);
      const place = places.get(name) ?? table.keys.push(key) - 1;
      places.set(name, place);
      return place;
    });
    const first = table.count;
    const key = rows.column("key")!;
    for (let row = 0; row < rows.count; row++) table.add(keys[key[row]!]!);
    for (const [index, name] of frameNames.entries()) copy(rows.column(name), rows.count, table.frame[index]!, first);
    for (const [index, name] of metricNames.entries())
      copy(rows.column(name), rows.count, table.metrics[index]!, first);
  }
  return table;
}

function copy(from: Int32Array | Float64Array | undefined, count: number, into: Int32Array | Float64Array, at: number) {
  if (from === undefined) into.fill(absent, at, at + count);
  else into.set(from.subarray(0, count), at);
}
