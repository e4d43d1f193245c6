import type { IPty } from "@lydell/node-pty";
import { quoteWord } from "@tessera/wire/shell-word";
import { program, type RealServer } from "./real-server.ts";

const nodePty = await import("@lydell/node-pty").catch(() => undefined);

/** A real terminal with a shell line at it that begins with words for `tess`. */
export class Pty {
  /** Why there is none here; false where there is. */
  static readonly missing =
    nodePty === undefined ? "no pseudo-terminal here: @lydell/node-pty is not built for it" : false;
  readonly #pty: IPty;
  readonly ended: Promise<unknown>;
  #shown = "";
  #changed: () => void = () => {};

  constructor(server: RealServer, line: string, size = { columns: 80, rows: 24 }) {
    const tess = `${quoteWord(process.execPath)} ${quoteWord(program)}`;
    this.#pty = nodePty!.spawn("/bin/sh", ["-c", `${tess} ${line}`], {
      name: "xterm-256color",
      cwd: server.folder,
      cols: size.columns,
      rows: size.rows,
      env: { ...server.env, TERM: "xterm-256color" } as Record<string, string>,
    });
    this.#pty.onData((text) => {
      this.#shown += text;
      this.#changed();
    });
    this.ended = new Promise((resolve) => this.#pty.onExit(resolve));
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }

  /** Resolves once something that was shown satisfies the pattern; fails with all that was shown at its end. */
  async shows(pattern: RegExp): Promise<void> {
    const over = this.ended.then(() => true);
    while (!pattern.test(this.#shown)) {
      const changed = new Promise<false>((resolve) => {
        this.#changed = () => resolve(false);
      });
      if ((await Promise.race([changed, over])) && !pattern.test(this.#shown))
        throw new Error(`${pattern} was never shown: ${JSON.stringify(this.#shown)}`);
    }
  }
}
