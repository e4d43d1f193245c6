/** Output beyond this is read later, and a job that writes without end waits in its own write. */
const bytesPerSecond = 2 * 2 ** 20;
const burstBytes = 32 * 2 ** 20;

/**
 * How fast the output of a job is taken in. Without a pace, one job that prints in a loop keeps a CPU and the disk busy
 * outside of its own limits: its supervisor reads, cuts and writes for it.
 */
export class Pace {
  #left = burstBytes;
  #seenAt: number;

  constructor(now: number) {
    this.#seenAt = now;
  }

  /** Counts bytes that were taken; says for how many milliseconds to take no more. */
  take(bytes: number, now: number): number {
    this.#left = Math.min(burstBytes, this.#left + ((now - this.#seenAt) * bytesPerSecond) / 1000) - bytes;
    this.#seenAt = now;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1000) / bytesPerSecond);
  }
}
