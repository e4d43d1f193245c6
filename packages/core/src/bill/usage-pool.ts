import { fitting } from "./wide.ts";

/** Numbers of one usage: its holding, its units, its cores and its memory. */
const row = 4;
const none = -1;

/** Usages that have not ended yet, in one column; the numbers of ended ones are reused. */
export class UsagePool {
  #rows: Float64Array = new Float64Array(1024 * row);
  #count = 0;
  /** The last number that was dropped. Its first cell holds the number dropped before it. */
  #dropped = none;

  add(holding: number, units: number, cpusMilli: number, memoryMiB: number): number {
    const no = this.#dropped === none ? this.#count++ : this.#dropped;
    const place = no * row;
    if (this.#dropped === none) this.#rows = fitting(this.#rows, place + row);
    else this.#dropped = this.#rows[place]!;
    const rows = this.#rows;
    rows[place] = holding;
    rows[place + 1] = units;
    rows[place + 2] = cpusMilli;
    rows[place + 3] = memoryMiB;
    return no;
  }

  /** Call when the usage has ended; its number is reused. */
  drop(no: number): void {
    this.#rows[no * row] = this.#dropped;
    this.#dropped = no;
  }

  holding(no: number): number {
    return this.#rows[no * row]!;
  }

  units(no: number): number {
    return this.#rows[no * row + 1]!;
  }

  cpusMilli(no: number): number {
    return this.#rows[no * row + 2]!;
  }

  memoryMiB(no: number): number {
    return this.#rows[no * row + 3]!;
  }
}
