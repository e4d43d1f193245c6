import { absent, type FrameColumn, frameNames, type Merging, metricColumns, metricNames } from "./columns.ts";
import { type Columns, type RowKey, Table } from "./table.ts";
import { type Regroup, regroups, type View } from "./view.ts";

interface Sums {
  readonly from: number[];
  readonly to: number[];
  readonly ms: number[];
  readonly shareMs: number[];
  readonly activeMs: number[];
  readonly idleMs: number[];
}

const merging: readonly Merging[] = metricNames.map((name) => metricColumns[name]);

/**
 * Merges rows into one for each line and stretch of `stretchMs`. Rows that lie side by side in time and rows that follow
 * each other are merged alike: what was sampled lasts no longer than from the first begin to the last end.
 */
class Merger {
  readonly #stretchMs: number;
  readonly #regroup: Regroup;
  readonly #table = new Table();
  readonly #lines = new Map<string, number>();
  /** The row of each line and stretch. */
  readonly #slots = new Map<number, number>();
  readonly #sums: Sums = { from: [], to: [], ms: [], shareMs: [], activeMs: [], idleMs: [] };
  /** By metric: the weighted sum, and the weight of it. */
  readonly #weighted = metricNames.map((): number[] => []);
  readonly #weights = metricNames.map((): number[] => []);
  #stretchFirst: number | undefined;

  constructor(stretchMs: number, regroup: Regroup) {
    this.#stretchMs = stretchMs;
    this.#regroup = regroup;
  }

  add(rows: Columns): void {
    const lines = rows.keys.map((key) => this.#lineOf(key));
    const keys = rows.column("key")!;
    const [at, span, ms, share, active, idle] = frameNames.map((name) => rows.column(name)!);
    const columns = metricNames.map((name) => rows.column(name));
    for (let row = 0; row < rows.count; row++) {
      const line = lines[keys[row]!]!;
      if (line < 0) continue;
      const slot = this.#slotOf(line, at![row]!);
      const weight = share![row]! * ms![row]!;
      const sums = this.#sums;
      sums.from[slot] = Math.min(sums.from[slot]!, at![row]! - span![row]!);
      sums.to[slot] = Math.max(sums.to[slot]!, at![row]!);
      sums.ms[slot]! += ms![row]!;
      sums.shareMs[slot]! += weight;
      sums.activeMs[slot]! += active![row]! * ms![row]!;
      sums.idleMs[slot]! += idle![row]! * ms![row]!;
      for (let metric = 0; metric < columns.length; metric++) {
        const value = columns[metric]?.[row] ?? absent;
        if (value !== absent) this.#take(metric, slot, value, ms![row]!, weight);
      }
    }
  }

  done(): Table {
    const table = this.#table;
    const frame = Object.fromEntries(frameNames.map((name) => [name, table.column(name)])) as {
      readonly [Name in FrameColumn]: Float64Array;
    };
    const { from, to, ms, shareMs, activeMs, idleMs } = this.#sums;
    for (let slot = 0; slot < table.count; slot++) {
      const span = to[slot]! - from[slot]!;
      const sampled = Math.min(span, ms[slot]!);
      frame.at[slot] = to[slot]!;
      frame.span[slot] = span;
      frame.ms[slot] = sampled;
      frame.share[slot] = sampled === 0 ? 0 : Math.round(shareMs[slot]! / sampled);
      frame.active[slot] = sampled === 0 ? 0 : Math.round(activeMs[slot]! / sampled);
      frame.idle[slot] = sampled === 0 ? 0 : Math.round(idleMs[slot]! / sampled);
      for (const [metric, how] of merging.entries())
        table.metrics[metric]![slot] = this.#value(metric, how, slot, sampled);
    }
    return table;
  }

  #take(metric: number, slot: number, value: number, ms: number, weight: number): void {
    const sums = this.#weighted[metric]!;
    const weights = this.#weights[metric]!;
    switch (merging[metric]!) {
      case "mean":
        sums[slot]! += value * weight;
        weights[slot]! += weight;
        break;
      case "sum":
        sums[slot]! += value * ms;
        weights[slot]! += ms;
        break;
      case "max":
        sums[slot] = weights[slot] === 0 ? value : Math.max(sums[slot]!, value);
        weights[slot] = 1;
        break;
      case "bits":
        sums[slot] = sums[slot]! | value;
        weights[slot] = 1;
    }
  }

  #value(metric: number, how: Merging, slot: number, sampledMs: number): number {
    const sum = this.#weighted[metric]![slot]!;
    const weight = this.#weights[metric]![slot]!;
    if (weight === 0) return absent;
    if (how === "mean") return Math.round(sum / weight);
    return how === "sum" ? Math.min(Math.round(sum / sampledMs), 0x7fff_ffff) : sum;
  }

  #lineOf(key: RowKey): number {
    const id = this.#regroup.idOf(key);
    if (id === undefined) return -1;
    let line = this.#lines.get(id);
    if (line === undefined) {
      line = this.#table.keys.push(this.#regroup.keyOf(key)) - 1;
      this.#lines.set(id, line);
    }
    return line;
  }

  #slotOf(line: number, at: number): number {
    const stretch = Math.floor((at - 1) / this.#stretchMs);
    this.#stretchFirst ??= stretch;
    // Stretches lie close together: what is merged at once is a minute, an hour or a day.
    const name = line * 2 ** 20 + (stretch - this.#stretchFirst);
    let slot = this.#slots.get(name);
    if (slot === undefined) {
      slot = this.#table.add(line);
      this.#slots.set(name, slot);
      const { from, to, ms, shareMs, activeMs, idleMs } = this.#sums;
      from.push(Number.POSITIVE_INFINITY);
      to.push(Number.NEGATIVE_INFINITY);
      for (const sums of [ms, shareMs, activeMs, idleMs]) sums.push(0);
      for (const sums of this.#weighted) sums.push(0);
      for (const weights of this.#weights) weights.push(0);
    }
    return slot;
  }
}

/** Rows as a view has them, one for each line and stretch. */
export function merged(rows: Iterable<Columns>, stretchMs: number, view: View): Table {
  const merger = new Merger(stretchMs, regroups[view]);
  for (const each of rows) merger.add(each);
  return merger.done();
}
