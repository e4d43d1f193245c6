import { Readable } from "node:stream";
import { tess } from "../program.ts";
import type { Terminal } from "../terminal.ts";

export interface FakeTerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** A person sits at it: stdin, stdout and stderr are terminals of this width. */
  readonly columns?: number;
}

/** A terminal in memory: keeps what was written, and can press Ctrl-C. */
export class FakeTerminal implements Terminal {
  out = "";
  err = "";
  /** Both in the order in which they were written, as a person sees them. */
  screen = "";
  readonly stdout;
  readonly stderr;
  readonly stdin: Terminal["stdin"];
  readonly env;
  readonly cwd;
  readonly #handlers = new Set<() => void>();
  #listeners: (() => void)[] = [];

  constructor({ env = {}, cwd = "/", input = "", columns }: FakeTerminalOptions = {}) {
    const isTTY = columns !== undefined;
    const changed = () => {
      for (const listener of this.#listeners) listener();
    };
    const write = (add: (text: string) => void) => async (text: string | Uint8Array) => {
      add(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
      this.screen += text;
      changed();
    };
    this.stdout = { isTTY, columns, write: write((text) => (this.out += text)) };
    this.stderr = { isTTY, columns, write: write((text) => (this.err += text)) };
    this.stdin = Object.assign(Readable.from(input === "" ? [] : [Buffer.from(input)]), { isTTY });
    this.env = env;
    this.cwd = cwd;
  }

  onInterrupt(handler: () => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  onResize(): () => void {
    return () => {};
  }

  interrupt(): void {
    for (const handler of this.#handlers) handler();
  }

  /** Resolves once something written satisfies the pattern. */
  async shows(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.out + this.err)) {
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
      this.#listeners = [];
    }
  }
}

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Carries out one command line on a terminal in memory. */
export async function runTess(argv: readonly string[], options: FakeTerminalOptions = {}): Promise<Result> {
  const terminal = new FakeTerminal(options);
  const code = await tess(argv, terminal);
  return { code, out: terminal.out, err: terminal.err };
}
