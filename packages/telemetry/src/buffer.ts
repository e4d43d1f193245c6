import { absent, metricNames } from "./columns.ts";
import { merged } from "./merge.ts";
import { idleBelow } from "./port.ts";
import { type Columns, type RowKey, Table } from "./table.ts";
import type { View } from "./view.ts";

const tickMs = 10_000;
const smColumn = metricNames.indexOf("sm");

/** Rows as they come from the thread that collects them: numbers, and lines by their numbers. */
export interface Batch {
  readonly lines: Int32Array;
  readonly at: Float64Array;
  readonly spanMs: Float64Array;
  readonly share: Float64Array;
  /** Row by row, in the order of the columns. */
  readonly metrics: Int32Array;
}

/** The samples of one minute until they are on the disk, at each width. */
export class Buffer {
  readonly raw = new Table();
  readonly #places = new Map<number, number>();
  readonly #wider = new Map<View, { readonly count: number; readonly rows: Table }>();

  add(batch: Batch, row: number, key: RowKey): void {
    const { raw } = this;
    const line = batch.lines[row]!;
    let place = this.#places.get(line);
    if (place === undefined) {
      place = raw.keys.push(key) - 1;
      this.#places.set(line, place);
    }
    const to = raw.add(place);
    const from = row * metricNames.length;
    for (let metric = 0; metric < metricNames.length; metric++)
      raw.metrics[metric]![to] = batch.metrics[from + metric]!;
    const sm = batch.metrics[from + smColumn]!;
    const share = batch.share[row]!;
    const [at, span, ms, shares, active, idle] = raw.frame;
    at![to] = batch.at[row]!;
    span![to] = batch.spanMs[row]!;
    ms![to] = batch.spanMs[row]!;
    shares![to] = share;
    active![to] = sm === absent ? 0 : share;
    idle![to] = sm !== absent && sm < idleBelow ? share : 0;
  }

  /** Its rows as a view has them. */
  at(view: View): Columns {
    if (view === "gpu") return this.raw;
    const known = this.#wider.get(view);
    if (known?.count === this.raw.count) return known.rows;
    const rows = merged([this.raw], tickMs, view);
    this.#wider.set(view, { count: this.raw.count, rows });
    return rows;
  }
}
