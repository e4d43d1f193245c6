import { fitting } from "./wide.ts";

/** Numbers of one stretch: its slot, its units, its cores and its memory. */
const row = 4;
const none = -1;

/** Stretches that have not ended yet, in one column: what they add to a slot while they last. */
export class Stretches {
  #rows: Float64Array = new Float64Array(1024 * row);
  #count = 0;
  /** The last that was dropped; its slot is the one dropped before it. */
  #dropped = none;

  add(slot: number, units: number, cpusMilli: number, memoryMiB: number): number {
    const no = this.#dropped === none ? this.#count++ : this.#dropped;
    const place = no * row;
    if (this.#dropped === none) this.#rows = fitting(this.#rows, place + row);
    else this.#dropped = this.#rows[place]!;
    const rows = this.#rows;
    rows[place] = slot;
    rows[place + 1] = units;
    rows[place + 2] = cpusMilli;
    rows[place + 3] = memoryMiB;
    return no;
  }

  /** It is over; its number is given to another. */
  drop(no: number): void {
    this.#rows[no * row] = this.#dropped;
    this.#dropped = no;
  }

  slot(no: number): number {
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
