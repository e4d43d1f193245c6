import type { Drawn } from "./columns.ts";
import type { StoredLine } from "./port.ts";
import type { Scanned } from "./scan.ts";
import type { RowKey } from "./table.ts";

export interface Steps {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** The stretch of the rows that are read: rows in one of them lie side by side in time or follow each other. */
  readonly baseMs: number;
}

const unitsPerGpu = 21_000;

/** One line while its rows are read. */
export class Line {
  readonly #steps: Steps;
  readonly #how: Drawn;
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  readonly #ms: Float64Array;
  readonly #sum: Float64Array;
  readonly #weight: Float64Array;
  #real = false;
  #known = false;

  constructor(steps: Steps, how: Drawn) {
    this.#steps = steps;
    this.#how = how;
    const cells = Math.ceil((steps.to - steps.from) / steps.baseMs);
    this.#first = new Float64Array(cells).fill(Number.POSITIVE_INFINITY);
    this.#last = new Float64Array(cells);
    this.#ms = new Float64Array(cells);
    this.#sum = new Float64Array(cells);
    this.#weight = new Float64Array(cells);
  }

  note({ source }: RowKey): void {
    this.#known = true;
    if (source !== "simulated" && source !== "virtual") this.#real = true;
  }

  add({ at, span, ms, weight, value }: Scanned): void {
    const cell = Math.floor((at - 1 - this.#steps.from) / this.#steps.baseMs);
    if (cell < 0 || cell >= this.#ms.length) return;
    this.#first[cell] = Math.min(this.#first[cell]!, at - span);
    this.#last[cell] = Math.max(this.#last[cell]!, at);
    this.#ms[cell]! += ms;
    this.#sum[cell]! += weight * value;
    this.#weight[cell]! += weight;
  }

  answer(key: string): StoredLine {
    const { from, to, stepMs, baseMs } = this.#steps;
    const perStep = stepMs / baseMs;
    const values = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, step) =>
      this.#value(step * perStep, Math.min((step + 1) * perStep, this.#ms.length)),
    );
    return { key, values, ...(this.#known && !this.#real && { simulated: true }) };
  }

  #value(from: number, to: number): number | null {
    let [sum, weight, ms] = [0, 0, 0];
    for (let cell = from; cell < to; cell++) {
      if (this.#ms[cell] === 0) continue;
      sum += this.#sum[cell]!;
      weight += this.#weight[cell]!;
      ms += Math.min(this.#ms[cell]!, this.#last[cell]! - this.#first[cell]!);
    }
    if (ms === 0 || weight === 0) return null;
    return rounded(this.#scaled(sum, weight, ms));
  }

  #scaled(sum: number, weight: number, ms: number): number {
    const { as, scale } = this.#how;
    switch (as) {
      case "mean":
        return (sum / weight) * scale;
      case "sum":
        return (sum / ms) * scale;
      case "total":
        return (sum / unitsPerGpu / ms) * scale;
      case "integral":
        return (sum / unitsPerGpu) * scale;
    }
  }
}

/** No sensor knows more digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
