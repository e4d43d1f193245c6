/** Where clients wait while the load is paused, and learn that the run is over. */
export class Gate {
  #open: Promise<void> = Promise.resolve();
  #resume: () => void = () => {};
  #stopped = false;

  /** Resolves when work may go on; false when it is over. */
  async pass(): Promise<boolean> {
    await this.#open;
    return !this.#stopped;
  }

  pause(): void {
    this.#open = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume();
  }

  stop(): void {
    this.#stopped = true;
    this.#resume();
  }
}
