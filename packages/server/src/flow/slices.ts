import { setImmediate } from "node:timers/promises";

/** So long a loop may hold the thread before other requests get a turn. */
const sliceMs = 4;

/** Cuts a long loop: where `isOver`, it waits for `next`. */
export class Slices {
  #since = performance.now();
  #spentMs = 0;

  get isOver(): boolean {
    return performance.now() - this.#since > sliceMs;
  }

  /** Lets what waits have its turn. */
  async next(): Promise<void> {
    this.#spentMs = this.spentMs;
    await setImmediate();
    this.#since = performance.now();
  }

  /** How long the loop itself has run. */
  get spentMs(): number {
    return this.#spentMs + performance.now() - this.#since;
  }
}
