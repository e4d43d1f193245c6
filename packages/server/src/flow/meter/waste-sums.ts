import {
  day,
  listValueOf,
  noWaste,
  type PriceVersion,
  type Waste,
  type WasteAmounts,
  wasteClasses,
  worthOf,
} from "@tessera/core";
import type { WasteReport, WasteRow } from "@tessera/wire";
import { gpuHours } from "./usage.ts";

interface Sum {
  readonly unitMs: WasteAmounts;
  readonly micros: WasteAmounts;
}

const month = 30 * day;

/** Adds up waste of several spans of time, each at the prices of its own list. */
export class WasteSums {
  readonly #rows = new Map<string, Sum>();
  #capacity = { unitMs: 0n, micros: 0n };

  add({ cells, capacity }: Waste, list: PriceVersion | undefined): void {
    const worth = worthOf(cells, list);
    for (const [i, { key, amounts }] of cells.entries()) {
      const sum = this.#rows.get(key) ?? { unitMs: noWaste(), micros: noWaste() };
      this.#rows.set(key, sum);
      for (const name of wasteClasses) {
        sum.unitMs[name] += amounts[name];
        sum.micros[name] += worth[i]![name];
      }
    }
    for (const [model, unitMs] of capacity) {
      this.#capacity.unitMs += unitMs;
      this.#capacity.micros += listValueOf(unitMs, model, list);
    }
  }

  rows(): WasteRow[] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => ({ key, ...shown(sum) }));
  }

  total(): WasteReport["total"] {
    return shown(this.#total());
  }

  /** What the fleet had, and whether the classes add up to it. */
  capacityIn(spanMs: number): NonNullable<WasteReport["capacity"]> {
    const { unitMs, micros } = this.#capacity;
    const difference = unitMs - sumOf(this.#total().unitMs);
    return {
      unitMs: String(unitMs),
      gpuHours: gpuHours(unitMs),
      micros: String(micros),
      exact: difference === 0n,
      differenceUnitMs: String(difference),
      ...(spanMs > 0 &&
        micros > 0n && { perCentMonthMicros: String((micros * BigInt(month)) / (BigInt(spanMs) * 100n)) }),
    };
  }

  #total(): Sum {
    const total = { unitMs: noWaste(), micros: noWaste() };
    for (const { unitMs, micros } of this.#rows.values()) {
      for (const name of wasteClasses) {
        total.unitMs[name] += unitMs[name];
        total.micros[name] += micros[name];
      }
    }
    return total;
  }
}

function shown({ unitMs, micros }: Sum): WasteReport["total"] {
  const all = sumOf(unitMs);
  const named = wasteClasses.filter((name) => unitMs[name] > 0n);
  return {
    unitMs: String(all),
    gpuHours: gpuHours(all),
    micros: String(sumOf(micros)),
    classes: Object.fromEntries(
      named.map((name) => [name, { unitMs: String(unitMs[name]), micros: String(micros[name]) }]),
    ),
  };
}

function sumOf(amounts: WasteAmounts): bigint {
  return wasteClasses.reduce((sum, name) => sum + amounts[name], 0n);
}
