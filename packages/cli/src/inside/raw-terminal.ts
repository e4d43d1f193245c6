import type { Terminal } from "../terminal.ts";

/** Undoes what a program may have left on: another screen, a hidden cursor, mouse and paste reports, colours. */
const calm = "\u001b[?1049l\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[0m";

/** Puts the terminal of a person at the job's disposal, until `restore`: also when this process is told to end. */
export function takeTerminal(terminal: Terminal): { restore(broken: boolean): void } {
  const { stdin, stdout } = terminal;
  let taken = true;
  stdin.setRawMode?.(true);
  const restore = (broken: boolean) => {
    if (!taken) return;
    taken = false;
    stdin.setRawMode?.(false);
    if (broken) void stdout.write(calm);
    process.off("exit", atExit);
    for (const signal of signals) process.off(signal, atSignal);
  };
  const atExit = () => restore(true);
  const atSignal = (signal: NodeJS.Signals) => {
    restore(true);
    process.kill(process.pid, signal); // with nobody listening any more, it does what it usually does
  };
  process.once("exit", atExit);
  for (const signal of signals) process.once(signal, atSignal);
  return { restore };
}

const signals = ["SIGTERM", "SIGHUP"] as const;

const enter = new Set([0x0d, 0x0a]);
const tilde = 0x7e;
const dot = 0x2e;

/**
 * Finds `~.` typed at the beginning of a line, as in ssh: the way to leave when the program does not answer. Answers
 * what is to be sent; undefined for leaving.
 */
export class Escape {
  #state: "line" | "begin" | "tilde" = "begin";

  pass(bytes: Uint8Array): Uint8Array | undefined {
    const out: number[] = [];
    for (const byte of bytes) {
      if (this.#state === "tilde") {
        if (byte === dot) return undefined;
        out.push(tilde);
        if (byte !== tilde) out.push(byte); // a second tilde is how to send one
        this.#state = enter.has(byte) ? "begin" : "line";
      } else if (this.#state === "begin" && byte === tilde) this.#state = "tilde";
      else {
        out.push(byte);
        this.#state = enter.has(byte) ? "begin" : "line";
      }
    }
    return Uint8Array.from(out);
  }
}
