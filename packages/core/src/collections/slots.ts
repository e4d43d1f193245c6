/** Column indexes for live jobs, reused after a job has ended: they stay dense, which job numbers do not. */
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

/** The slot of a job that is not live. */
export const noSlot = -1;
