import { type Batch, frameIn } from "./batch.ts";
import { absent, type FrameColumn, frameNames, type MetricColumn, metricNames } from "./columns.ts";
import { Merged } from "./merge.ts";
import { type ColumnName, type Columns, isFrame, type RowKey } from "./table.ts";
import type { Values } from "./varint.ts";
import type { View } from "./view.ts";

const tickMs = 10_000;
const metricAt = new Map<ColumnName, number>(metricNames.map((name, index) => [name, index]));

/** The samples of one minute until they are on the disk: the batches as they came. */
export class Buffer implements Columns {
  readonly keys: RowKey[] = [];
  count = 0;
  #batches: Batch[] = [];
  readonly #places = new Map<number, number>();
  readonly #wider = new Map<View, Columns>();
  /** Once no more rows come. */
  #columns: Map<ColumnName, Values | undefined> | undefined;

  /** Takes a batch over: the numbers of its lines become those of this minute. */
  add(batch: Batch, keyOf: (line: number) => RowKey): void {
    const { lines } = batch;
    for (let row = 0; row < batch.count; row++) {
      let place = this.#places.get(lines[row]!);
      if (place === undefined) {
        place = this.keys.push(keyOf(lines[row]!)) - 1;
        this.#places.set(lines[row]!, place);
      }
      lines[row] = place;
    }
    this.#batches.push(batch);
    this.count += batch.count;
    this.#wider.clear();
  }

  /** No more rows come: each column is joined, one after the other, so that little is in memory twice. */
  close(): void {
    const columns = new Map<ColumnName, Values | undefined>();
    columns.set("key", this.column("key"));
    for (const name of frameNames) columns.set(name, name === "ms" ? columns.get("span") : this.column(name));
    for (const [index, name] of metricNames.entries()) {
      columns.set(name, this.column(name));
      for (const { metrics } of this.#batches) metrics[index] = undefined;
    }
    this.#columns = columns;
    this.#batches = [];
  }

  column(name: "key"): Int32Array;
  column(name: FrameColumn): Values;
  column(name: MetricColumn): Int32Array | undefined;
  column(name: ColumnName): Values | undefined {
    if (this.#columns !== undefined) return this.#columns.get(name);
    if (name === "key") return this.#joined(({ lines }) => lines, new Int32Array(this.count));
    if (isFrame(name)) {
      const column = name === "at" ? new Float64Array(this.count) : new Int32Array(this.count);
      return this.#joined((batch) => frameIn(batch, name), column);
    }
    const index = metricAt.get(name)!;
    if (this.#batches.every(({ metrics }) => metrics[index] === undefined)) return undefined;
    return this.#joined(({ metrics }) => metrics[index], new Int32Array(this.count));
  }

  /** Its rows as a view has them. */
  at(view: View): Columns {
    if (view === "gpu") return this;
    const known = this.#wider.get(view) ?? new Merged(this, tickMs, view);
    this.#wider.set(view, known);
    return known;
  }

  /** Lets go of what a view was made of. */
  forget(view: View): void {
    this.#wider.delete(view);
  }

  #joined<Column extends Values>(columnIn: (batch: Batch) => Values | undefined, into: Column): Column {
    let first = 0;
    for (const batch of this.#batches) {
      const column = columnIn(batch);
      if (column === undefined) into.fill(absent, first, first + batch.count);
      else into.set(column, first);
      first += batch.count;
    }
    return into;
  }
}
