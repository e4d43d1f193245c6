/**
 * With fewer the thread that commits waits for the one that decides; with more nothing is gained, and each batch waits
 * longer for its answer.
 */
const batchesMax = 4;

/** Batches that were decided and are being made durable. Meanwhile the next are decided, up to `batchesMax`. */
export class Underway {
  readonly #batches: Promise<void>[] = [];

  /** Takes a batch in; waits for the first of those on their way where they are too many. Throws what that one threw. */
  async add(batch: Promise<void>): Promise<void> {
    batch.catch(() => {}); // it is heard where it is waited for
    this.#batches.push(batch);
    if (this.#batches.length > batchesMax) await this.#batches.shift();
  }

  /** Waits until each of them is durable or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#batches);
  }

  /** Waits until all of them are durable. Throws what the first to fail threw. */
  async done(): Promise<void> {
    for (let next = this.#batches.shift(); next !== undefined; next = this.#batches.shift()) await next;
  }
}
