import { exit } from "./exit.ts";
import { Failure, usageFailure } from "./failure.ts";
import { decoded } from "./read/utf8.ts";
import type { Session } from "./session.ts";

/** Whether a person can be asked. */
export function canAsk({ terminal }: Session): boolean {
  return terminal.stdin.isTTY === true && terminal.stderr.isTTY;
}

/** Asks before something that cannot be taken back; -y and scripts go on without. */
export async function confirm(session: Session, question: string): Promise<void> {
  if (session.options.yes || !canAsk(session)) return;
  if (await askYesNo(session, question)) return;
  throw new Failure(exit.interrupted, { code: "declined", message: "nothing was changed" });
}

export async function askYesNo(session: Session, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(session, `${question} [y/N] `)).trim());
}

/** One line that the user types. */
export async function askLine({ terminal }: Session, label: string): Promise<string> {
  const { createInterface } = await import("node:readline");
  await terminal.stderr.write(label);
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  return new Promise((resolve) => {
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => resolve(""));
  });
}

/** A value that must not be seen: typed without echo on a terminal, else all of standard input. */
export async function askSecret(session: Session, label: string): Promise<string> {
  if (!canAsk(session)) return readAll(session);
  const { stdin, stderr } = session.terminal;
  await stderr.write(label);
  stdin.setRawMode?.(true);
  stdin.setEncoding?.("utf8");
  try {
    return await typed(stdin);
  } finally {
    stdin.setRawMode?.(false);
    await stderr.write("\n");
  }
}

function typed(stdin: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const done = () => {
      stdin.removeListener("data", take);
      stdin.removeListener("end", giveUp);
      stdin.pause();
    };
    const giveUp = () => {
      done();
      reject(new Failure(exit.interrupted, { code: "declined", message: "nothing was changed" }));
    };
    const take = (part: string | Buffer) => {
      const keys = [...String(part)];
      for (const [index, key] of keys.entries()) {
        if (key === "\r" || key === "\n") {
          done();
          const ahead = keys.slice(index + 1).join("");
          if (ahead !== "") stdin.unshift(ahead);
          return resolve(text);
        }
        if (key === "\u0003" || key === "\u0004") return giveUp();
        text = key === "\u007f" || key === "\b" ? text.slice(0, -1) : text + key;
      }
    };
    stdin.on("data", take);
    stdin.on("end", giveUp);
    stdin.resume();
  });
}

/** All of standard input, without the line end that `echo` adds. */
export async function readAll(session: Session): Promise<string> {
  return decoded(await readBytes(session), "standard input").replace(/\r?\n$/, "");
}

export async function readBytes({ terminal }: Session): Promise<Buffer> {
  if (terminal.stdin.isTTY) throw usageFailure("nothing came on standard input", "pipe the value in, or name a file");
  const parts: Buffer[] = [];
  for await (const part of terminal.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}
