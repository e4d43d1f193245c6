import { absent, type FrameColumn, type MetricColumn, metricColumns } from "./columns.ts";
import { type ColumnName, type Columns, isFrame, type RowKey } from "./table.ts";
import type { Values } from "./varint.ts";
import { type Regroup, regroups, type View } from "./view.ts";

/**
 * Rows merged into one for each line of a view and stretch of time. Rows that lie side by side in time and rows that follow
 * each other are merged alike: what was sampled lasts no longer than from the first begin to the last end. Works column by
 * column, so that only those that are asked for are merged, in few numbers at a time.
 */
export class Merged implements Columns {
  readonly keys: RowKey[] = [];
  readonly count: number;
  readonly #from: Columns;
  /** The row that each row becomes part of; -1 = of none. */
  readonly #slots: Int32Array;
  readonly #key: Int32Array;
  readonly #made = new Map<ColumnName, Values | undefined>();

  constructor(from: Columns, stretchMs: number, view: View) {
    this.#from = from;
    const lines = this.#linesOf(regroups[view]);
    const { slots, key } = slotsOf(from, lines, this.keys.length, stretchMs);
    this.#slots = slots;
    this.#key = key;
    this.count = key.length;
  }

  column(name: "key"): Int32Array;
  column(name: FrameColumn): Values;
  column(name: MetricColumn): Int32Array | undefined;
  column(name: ColumnName): Values | undefined {
    if (name === "key") return this.#key;
    if (!this.#made.has(name)) {
      if (isFrame(name)) this.#makeFrame();
      else this.#made.set(name, this.#metric(name));
    }
    return this.#made.get(name);
  }

  /** The line of each key; -1 = of none. */
  #linesOf({ idOf, keyOf }: Regroup): Int32Array {
    const known = new Map<string, number>();
    const lines = new Int32Array(this.#from.keys.length);
    for (const [index, key] of this.#from.keys.entries()) {
      const id = idOf(key);
      let line = id === undefined ? -1 : known.get(id);
      if (line === undefined) {
        line = this.keys.push(keyOf(key)) - 1;
        known.set(id!, line);
      }
      lines[index] = line;
    }
    return lines;
  }

  #makeFrame(): void {
    const slots = this.#slots;
    const rows = this.#from;
    const [at, span, ms] = [rows.column("at"), rows.column("span"), rows.column("ms")];
    const from = new Float64Array(this.count).fill(Number.POSITIVE_INFINITY);
    const to = new Float64Array(this.count);
    const sampled = new Float64Array(this.count);
    for (let row = 0; row < slots.length; row++) {
      const slot = slots[row]!;
      if (slot < 0) continue;
      const end = at[row]!;
      const begin = end - span[row]!;
      if (begin < from[slot]!) from[slot] = begin;
      if (end > to[slot]!) to[slot] = end;
      sampled[slot]! += ms[row]!;
    }
    for (let slot = 0; slot < this.count; slot++) {
      const length = to[slot]! - from[slot]!;
      from[slot] = length;
      if (sampled[slot]! > length) sampled[slot] = length;
    }
    this.#made.set("at", to).set("span", from).set("ms", sampled);
    for (const name of ["share", "active", "idle"] as const) this.#made.set(name, this.#held(name, ms, sampled));
  }

  /** The mean of what was held, over the time that was sampled. */
  #held(name: "share" | "active" | "idle", ms: Values, sampled: Float64Array): Float64Array {
    const slots = this.#slots;
    const units = this.#from.column(name);
    const held = new Float64Array(this.count);
    for (let row = 0; row < slots.length; row++) {
      const slot = slots[row]!;
      if (slot >= 0) held[slot]! += units[row]! * ms[row]!;
    }
    for (let slot = 0; slot < held.length; slot++)
      held[slot] = sampled[slot] === 0 ? 0 : Math.round(held[slot]! / sampled[slot]!);
    return held;
  }

  #metric(name: MetricColumn): Int32Array | undefined {
    const values = this.#from.column(name);
    if (values === undefined) return undefined;
    switch (metricColumns[name]) {
      case "mean":
        return this.#mean(values);
      case "sum":
        return this.#sum(values);
      case "max":
        return this.#most(values);
      case "bits":
        return this.#bits(values);
    }
  }

  #mean(values: Int32Array): Int32Array {
    const slots = this.#slots;
    const [ms, share] = [this.#from.column("ms"), this.#from.column("share")];
    const sums = new Float64Array(this.count);
    const weights = new Float64Array(this.count);
    for (let row = 0; row < slots.length; row++) {
      const slot = slots[row]!;
      const value = values[row]!;
      if (slot < 0 || value === absent) continue;
      const weight = share[row]! * ms[row]!;
      sums[slot]! += value * weight;
      weights[slot]! += weight;
    }
    const means = new Int32Array(this.count);
    for (let slot = 0; slot < means.length; slot++)
      means[slot] = weights[slot] === 0 ? absent : Math.round(sums[slot]! / weights[slot]!);
    return means;
  }

  #sum(values: Int32Array): Int32Array {
    const slots = this.#slots;
    const ms = this.#from.column("ms");
    const sums = new Float64Array(this.count);
    const weights = new Float64Array(this.count);
    for (let row = 0; row < slots.length; row++) {
      const slot = slots[row]!;
      if (slot < 0 || values[row] === absent) continue;
      sums[slot]! += values[row]! * ms[row]!;
      weights[slot]! += ms[row]!;
    }
    const sampled = this.column("ms");
    const all = new Int32Array(this.count);
    for (let slot = 0; slot < all.length; slot++)
      all[slot] = weights[slot] === 0 ? absent : Math.min(Math.round(sums[slot]! / sampled[slot]!), 0x7fff_ffff);
    return all;
  }

  #most(values: Int32Array): Int32Array {
    const slots = this.#slots;
    const most = new Int32Array(this.count).fill(absent); // which is less than any value
    for (let row = 0; row < slots.length; row++) {
      const slot = slots[row]!;
      if (slot >= 0 && values[row]! > most[slot]!) most[slot] = values[row]!;
    }
    return most;
  }

  #bits(values: Int32Array): Int32Array {
    const slots = this.#slots;
    const bits = new Int32Array(this.count).fill(absent);
    for (let row = 0; row < slots.length; row++) {
      const slot = slots[row]!;
      const value = values[row]!;
      if (slot >= 0 && value !== absent) bits[slot] = bits[slot] === absent ? value : bits[slot]! | value;
    }
    return bits;
  }
}

/** Numbers the merged rows by line, then by stretch. What is merged at once is a minute or an hour: few stretches. */
function slotsOf(rows: Columns, lines: Int32Array, lineCount: number, stretchMs: number) {
  const [keys, at] = [rows.column("key"), rows.column("at")];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < rows.count; row++) {
    if (at[row]! < first) first = at[row]!;
    if (at[row]! > last) last = at[row]!;
  }
  first = Math.floor((first - 1) / stretchMs);
  const stretches = rows.count === 0 ? 0 : Math.floor((last - 1) / stretchMs) - first + 1;
  const slots = new Int32Array(rows.count);
  const numbers = new Int32Array(lineCount * stretches);
  for (let row = 0; row < rows.count; row++) {
    const line = lines[keys[row]!]!;
    const place = line < 0 ? -1 : line * stretches + Math.floor((at[row]! - 1) / stretchMs) - first;
    slots[row] = place;
    if (place >= 0) numbers[place] = 1;
  }
  let count = 0;
  for (let place = 0; place < numbers.length; place++) if (numbers[place] === 1) numbers[place] = count++;
  for (let row = 0; row < slots.length; row++) if (slots[row]! >= 0) slots[row] = numbers[slots[row]!]!;
  const key = new Int32Array(count);
  for (let row = 0; row < slots.length; row++) if (slots[row]! >= 0) key[slots[row]!] = lines[keys[row]!]!;
  return { slots, key };
}
