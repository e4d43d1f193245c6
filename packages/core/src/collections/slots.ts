/** Places for live jobs in the columns of the state, used again when a job has ended: dense, as job numbers are not. */
export class SlotPool {
  readonly #free: number[] = [];
  #count = 0;

  take(): number {
    return this.#free.pop() ?? this.#count++;
  }

  give(slot: number): void {
    this.#free.push(slot);
  }
}

/** The slot of a job that has none: it is not live. */
export const noSlot = -1;
