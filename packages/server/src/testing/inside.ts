import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import type { Engine, Entry, EntryAsk, EntryEnd, TerminalSize } from "@tessera/engine";

/** An inside for tests: a command sends its input back until that ends; a port is one of this machine. */
export class TestInside implements Pick<Engine, "open" | "ports"> {
  readonly opened: EntryAsk[] = [];
  readonly sizes: TerminalSize[] = [];
  listens: number[] = [];
  /** How many entries are open. */
  count = 0;

  async open(_lease: string, ask: EntryAsk): Promise<Entry> {
    this.opened.push(ask);
    this.count++;
    const ended = Promise.withResolvers<EntryEnd>();
    void ended.promise.then(() => this.count--);
    const both = ask.kind === "port" ? connect({ port: ask.port, allowHalfOpen: true }) : new PassThrough();
    both.on("error", () => {});
    both.once("close", () => ended.resolve({ code: 0 }));
    return {
      input: both,
      output: both,
      errors: Readable.from([]),
      ended: ended.promise,
      resize: (size) => void this.sizes.push(size),
      close() {
        both.destroy();
        ended.resolve({ broken: "closed" });
      },
    };
  }

  async ports(): Promise<readonly number[]> {
    return this.listens;
  }
}
