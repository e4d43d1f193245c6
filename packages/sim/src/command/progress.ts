const width = 24;

/** A bar on the terminal that grows with what is done and goes away at the end; nothing without a terminal. */
export class Progress {
  readonly #of: number;
  readonly #stream: NodeJS.WriteStream;
  readonly #from = performance.now();
  #done = 0;

  constructor(of: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#of = of;
    this.#stream = stream;
    this.at(0, "");
  }

  /** One more is done. */
  step(what: string): void {
    this.at(this.#done + 1, what);
  }

  /** Shows `done` steps as done. */
  at(done: number, what: string): void {
    this.#done = done;
    if (!this.#stream.isTTY) return;
    const full = Math.round((width * done) / Math.max(1, this.#of));
    const seconds = Math.round((performance.now() - this.#from) / 1000);
    const bar = "█".repeat(full) + "░".repeat(width - full);
    this.#stream.write(`\r\x1b[K${bar} ${done}/${this.#of} ${what} (${seconds} s)`);
  }

  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\x1b[K");
  }
}
