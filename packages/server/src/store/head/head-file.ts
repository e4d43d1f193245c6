import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { sha256 } from "../../journal/digest.ts";
import type { JournalHead } from "../../journal/format.ts";

/** How far the journal had come when the head was noted. */
export type NotedHead = Pick<JournalHead, "seq" | "hash">;

/**
 * The head of the journal in a small file beside the store, so that rows which a damaged store no longer shows are
 * missed. It holds two copies of 512 bytes, written in turn and in place: one sector is written as a whole or not at
 * all, and should it be torn, the other copy is one row older.
 *
 * A row is noted after its commit and before its answer, so the file never leads, and what was answered before the
 * process was killed is in it. Only a loss of power can take a note back: it reaches the disk within `syncMsMax` or
 * `syncRowsMax` rows, whichever comes first, and exactly when the store is closed. That happens beside the commits.
 */
const copyBytes = 512;
const copies = 2;
export const syncMsMax = 1_000;
export const syncRowsMax = 1_000;

export type HeadRead =
  | { readonly is: "missing" }
  | { readonly is: "damaged"; readonly fault: string }
  | { readonly is: "head"; readonly head: NotedHead; readonly halfDamaged: boolean };

export function readHeadFile(path: string): HeadRead {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { is: "missing" };
    throw new Error(`cannot read the head file ${path}`, { cause });
  }
  const found = [0, 1].flatMap((copy) => parseCopy(bytes.subarray(copy * copyBytes, (copy + 1) * copyBytes)) ?? []);
  const newest = found.sort((a, b) => b.seq - a.seq)[0];
  if (newest === undefined) return { is: "damaged", fault: `neither of its two copies can be read` };
  return { is: "head", head: newest, halfDamaged: found.length < copies || bytes.length !== copies * copyBytes };
}

/** Replaces the file, whole or not at all. */
export function makeHeadFile(path: string, head: NotedHead): void {
  const draft = `${path}.new`;
  const copy = copyOf(head);
  writeFileSync(draft, Buffer.concat([copy, copy]), { mode: 0o600, flush: true });
  renameSync(draft, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The file while the store is open: takes note of each row that became durable. */
export class HeadFile {
  readonly #path: string;
  readonly #warn: (text: string) => void;
  #file: number | undefined;
  #next = 0;
  #syncedSeq: number;
  #noted: NotedHead;
  #timer: NodeJS.Timeout | undefined;
  #syncing = false;
  #failed = false;
  #obsolete: boolean;

  /** An obsolete file, which says what the owner has decided to go on without, is made anew by the first note. */
  constructor(path: string, head: NotedHead, obsolete: boolean, warn: (text: string) => void) {
    this.#path = path;
    this.#noted = head;
    this.#syncedSeq = head.seq;
    this.#obsolete = obsolete;
    this.#warn = warn;
  }

  /** Takes about 7 µs. A note that fails is no reason to stop: the file lags, and says less when the store is damaged. */
  note(head: NotedHead): void {
    this.#noted = head;
    try {
      if (this.#obsolete) makeHeadFile(this.#path, head);
      this.#obsolete = false;
      this.#file ??= openSync(this.#path, "r+");
      writeSync(this.#file, copyOf(head), 0, copyBytes, this.#next * copyBytes);
      this.#next = (this.#next + 1) % copies;
      this.#failed = false;
    } catch (error) {
      this.#tellOnce(error as Error);
      return;
    }
    if (head.seq - this.#syncedSeq >= syncRowsMax) this.#sync();
    else if (this.#timer === undefined && !this.#syncing)
      this.#timer = setTimeout(() => this.#sync(), syncMsMax).unref();
  }

  /** Brings the last note to the disk, and lets go of the file. */
  close(): void {
    try {
      if (this.#file !== undefined) fdatasyncSync(this.#file);
    } catch (error) {
      this.#tellOnce(error as Error);
    }
    this.#forget();
  }

  #sync(): void {
    if (this.#syncing || this.#file === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#syncing = true;
    const { seq } = this.#noted;
    const file = this.#file;
    fdatasync(file, (error) => {
      this.#syncing = false;
      if (this.#file !== file) return;
      if (error !== null) this.#tellOnce(error);
      else this.#syncedSeq = seq;
      if (this.#noted.seq > this.#syncedSeq && this.#timer === undefined) {
        this.#timer = setTimeout(() => this.#sync(), syncMsMax).unref();
      }
    });
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #tellOnce({ message }: Error): void {
    if (!this.#failed) this.#warn(`the head file ${this.#path} cannot be written (${message}); it is tried again`);
    this.#failed = true;
  }
}

const heading = "Tessera journal head";

function copyOf({ seq, hash }: NotedHead): Buffer {
  const text = `${heading}: row ${seq}, hash ${Buffer.from(hash).toString("hex")}`;
  const line = `${text}, check ${sha256(Buffer.from(text)).toString("hex").slice(0, 16)}`;
  return Buffer.from(`${line.padEnd(copyBytes - 1)}\n`, "latin1");
}

/** Undefined unless it is, byte by byte, what would be written for the head in it. */
function parseCopy(bytes: Buffer): NotedHead | undefined {
  const [, seq, hash] = /row (\d{1,15}), hash ([0-9a-f]{64}),/.exec(bytes.toString("latin1")) ?? [];
  if (seq === undefined || hash === undefined) return undefined;
  const head = { seq: Number(seq), hash: Buffer.from(hash, "hex") };
  return copyOf(head).equals(bytes) ? head : undefined;
}
