import { Readable } from "node:stream";

/** A readable that is filled no faster than it is read. */
export class Channel extends Readable {
  #wanted: () => void = () => {};

  override _read(): void {
    this.#wanted();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wanted();
    done(error);
  }

  async feed(bytes: Buffer): Promise<void> {
    if (this.destroyed || this.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#wanted = resolve;
    });
  }

  finish(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }
}
