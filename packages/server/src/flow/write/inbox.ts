/**
 * Requests queue up here while a batch is being written; then all of them make the next batch. That is the whole of
 * group commit: under load batches grow by themselves, and without load no request waits.
 */
export class Inbox<Request> {
  #queue: Request[] = [];
  #wake: (() => void) | undefined;

  add(requests: readonly Request[]): void {
    for (const request of requests) this.#queue.push(request);
    this.#wake?.();
    this.#wake = undefined;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Everything that is there now. */
  takeAll(): Request[] {
    return this.#queue.splice(0);
  }

  /** Everything that is there, at most `most`; waits until there is something. */
  async take(most: number): Promise<Request[]> {
    while (this.#queue.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#queue.length <= most) {
      const batch = this.#queue;
      this.#queue = [];
      return batch;
    }
    return this.#queue.splice(0, most);
  }
}
