import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate as breathe } from "node:timers/promises";
import { bytesWritten, openedPieces, relabel, SealedWriter } from "./sealed/file.ts";
import { KeyUnknown, SealBroken } from "./sealed/form.ts";
import { type ContentKey, labelOf } from "./sealed/keys.ts";

/** What a draft is written with. */
export interface DraftWriter {
  write(part: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const unknown = "0".repeat(64);

/** A content that is not whole yet, sealed where there are keys. */
export class Draft {
  readonly #path: string;
  readonly #keys: readonly ContentKey[];
  readonly #sha256: string;

  constructor(path: string, keys: readonly ContentKey[], sha256 = unknown) {
    this.#path = path;
    this.#keys = keys;
    this.#sha256 = sha256;
  }

  /** How many bytes are here. */
  have(): number {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size;
    if (size === undefined || this.#keys.length === 0) return size ?? 0;
    return bytesWritten(this.#path);
  }

  /** Goes on where it ends. */
  async open(): Promise<DraftWriter> {
    const writer = this.#sealed();
    if (writer !== undefined) return { write: async (part) => writer.write(part), close: async () => writer.close() };
    const file = await open(this.#path, "a", 0o600);
    return {
      async write(part) {
        for (let at = 0; at < part.length; ) at += (await file.write(part, at)).bytesWritten;
      },
      close: () => file.close(),
    };
  }

  /** Its digest turned out to be this. */
  label(sha256: string): void {
    const [newest] = this.#keys;
    if (newest !== undefined) relabel(this.#path, this.#keys, newest, labelOf(sha256));
  }

  /** What came in several parts is written again as if it had come at once; returns its digest. */
  async settle(): Promise<string> {
    const hash = createHash("sha256");
    const [newest] = this.#keys;
    const whole = `${this.#path}.whole`;
    rmSync(whole, { force: true });
    const writer = newest && SealedWriter.create(whole, labelOf(this.#sha256), newest);
    const file = openSync(this.#path, "r");
    for (const piece of newest === undefined ? plainPieces(file) : openedPieces(file, this.#keys)) {
      hash.update(piece);
      writer?.write(piece);
      await breathe();
    }
    writer?.close();
    if (writer !== undefined) renameSync(whole, this.#path);
    return hash.digest("hex");
  }

  #sealed(): SealedWriter | undefined {
    const [newest] = this.#keys;
    if (newest === undefined) return undefined;
    const create = () => SealedWriter.create(this.#path, labelOf(this.#sha256), newest);
    if (statSync(this.#path, { throwIfNoEntry: false }) === undefined) return create();
    try {
      return SealedWriter.resume(this.#path, this.#keys);
    } catch (error) {
      if (!(error instanceof SealBroken || error instanceof KeyUnknown)) throw error;
      rmSync(this.#path); // its key is gone: it is sent again
      return create();
    }
  }
}

const plainBytes = 1 << 18;

/** What a plain file holds from `start` on. Closes the file. */
export function* plainPieces(file: number, start = 0): Generator<Buffer> {
  try {
    const room = Buffer.allocUnsafe(plainBytes);
    for (let at = start; ; ) {
      const got = readSync(file, room, 0, room.length, at);
      if (got === 0) return;
      at += got;
      yield Buffer.from(room.subarray(0, got)); // a copy: who takes it may keep it
    }
  } finally {
    closeSync(file);
  }
}
