import { absent, type FrameColumn, type MetricColumn } from "./columns.ts";
import type { Holder, TelemetryRow } from "./row.ts";
import type { Values } from "./varint.ts";

/** What the rows of one line have in common. Each view has some of the fields. */
export type RowKey = Partial<Holder & Pick<TelemetryRow, "node" | "gpu" | "instance" | "model" | "source">>;

export type ColumnName = FrameColumn | MetricColumn | "key";

/** Rows by columns, in memory or read from a chunk. A column is made when it is asked for. */
export interface Columns {
  readonly keys: readonly RowKey[];
  readonly count: number;
  /** The key of each row, by its index in `keys`. */
  column(name: "key"): Int32Array;
  column(name: FrameColumn): Values;
  /** Undefined = no row has it. */
  column(name: MetricColumn): Int32Array | undefined;
}

/** All these rows one after the other. Lines that have the same fields become one. */
export class Joined implements Columns {
  readonly keys: RowKey[] = [];
  readonly count: number;
  readonly #all: readonly Columns[];
  readonly #key: Int32Array;

  constructor(all: readonly Columns[]) {
    this.#all = all;
    this.count = all.reduce((sum, { count }) => sum + count, 0);
    this.#key = new Int32Array(this.count);
    const places = new Map<string, number>();
    let first = 0;
    for (const rows of all) {
      const keys = rows.keys.map((key) => {
        const name = JSON.stringify(key);
        const place = places.get(name) ?? this.keys.push(key) - 1;
        places.set(name, place);
        return place;
      });
      const key = rows.column("key");
      for (let row = 0; row < rows.count; row++) this.#key[first + row] = keys[key[row]!]!;
      first += rows.count;
    }
  }

  column(name: "key"): Int32Array;
  column(name: FrameColumn): Values;
  column(name: MetricColumn): Int32Array | undefined;
  column(name: ColumnName): Values | undefined {
    if (name === "key") return this.#key;
    if (isFrame(name)) return this.#joinedFrame(name);
    const parts = this.#all.map((rows) => rows.column(name));
    if (parts.every((part) => part === undefined)) return undefined;
    const column = new Int32Array(this.count);
    let first = 0;
    for (const [index, { count }] of this.#all.entries()) {
      const part = parts[index];
      if (part === undefined) column.fill(absent, first, first + count);
      else column.set(part.subarray(0, count), first);
      first += count;
    }
    return column;
  }

  #joinedFrame(name: FrameColumn): Float64Array {
    const column = new Float64Array(this.count);
    let first = 0;
    for (const rows of this.#all) {
      column.set(rows.column(name).subarray(0, rows.count), first);
      first += rows.count;
    }
    return column;
  }
}

const frame: ReadonlySet<string> = new Set<FrameColumn>(["at", "span", "ms", "share", "active", "idle"]);

export function isFrame(name: ColumnName): name is FrameColumn {
  return frame.has(name);
}
