import { mkdirSync } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { AuditRecord } from "./record.ts";
import type { FileTarget } from "./target.ts";

/** Appends records as lines of JSON. A file that is full is put aside under a number, and the oldest goes. */
export class FileSink {
  readonly batchMax = 1_000;
  readonly #target: FileTarget;

  constructor(target: FileTarget) {
    this.#target = target;
  }

  async send(records: readonly AuditRecord[]): Promise<void> {
    const { path, bytesMax } = this.#target;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const size = await sizeOf(path);
    if (size > 0 && size + Buffer.byteLength(text) > bytesMax) await this.#rotate();
    // Opened each time: another program may have put the file aside.
    const file = await open(path, "a+", 0o600);
    try {
      await file.appendFile((await endsInLine(file)) ? text : `\n${text}`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {}

  async #rotate(): Promise<void> {
    const { path, keep } = this.#target;
    for (let number = keep - 1; number >= 1; number--) await moveAside(`${path}.${number}`, `${path}.${number + 1}`);
    await moveAside(path, `${path}.1`);
  }
}

/** False after a crash in the middle of a line. */
async function endsInLine(file: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last.toString() === "\n";
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function moveAside(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
