import { createHash } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { specFailure } from "../failure.ts";
import { type FoundFile, leaveOutHint } from "./scan.ts";

type Known = readonly [facts: string, sha256: string];

/** A file that was written this shortly before it was read may be written again without a change of its times. */
const restlessNs = 2_000_000_000n;
const keepDays = 60;
const pieceBytes = 1 << 20;

/**
 * The sha256 of files of one folder, remembered from the last time by size, times and inode, so that only what changed
 * is read again. Losing this cache costs time alone.
 */
export class Digests {
  readonly #place: { readonly cache: string; readonly file: string };
  readonly #before: ReadonlyMap<string, Known>;
  readonly #now = new Map<string, Known>();
  readonly #startedNs = BigInt(Date.now()) * 1_000_000n;
  readonly #room = Buffer.allocUnsafe(pieceBytes);

  constructor(cache: string, folder: string) {
    const name = createHash("sha256").update(folder).digest("hex").slice(0, 32);
    this.#place = { cache, file: join(cache, `${name}.json`) };
    this.#before = readKnown(this.#place.file);
  }

  async of(folder: string, file: FoundFile, onBytes: (bytes: number) => void): Promise<string> {
    const { path, stats } = file;
    const facts = [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(" ");
    const known = this.#before.get(path);
    const sha256 = known?.[0] === facts ? known[1] : await this.#read(join(folder, path), path, onBytes);
    if (stats.mtimeNs < this.#startedNs - restlessNs) this.#now.set(path, [facts, sha256]);
    return sha256;
  }

  /** Keeps what was learned. A disk that is full or not ours to write to costs time at the next run, nothing else. */
  save(): void {
    const { cache, file } = this.#place;
    try {
      mkdirSync(cache, { recursive: true, mode: 0o700 });
      const partial = `${file}.${process.pid}`;
      writeFileSync(partial, JSON.stringify([...this.#now]), { mode: 0o600 });
      renameSync(partial, file);
      for (const name of readdirSync(cache)) {
        const old = Date.now() - statSync(join(cache, name)).mtimeMs > keepDays * 86_400_000;
        if (old) rmSync(join(cache, name), { force: true });
      }
    } catch {
      // Read again next time.
    }
  }

  async #read(full: string, path: string, onBytes: (bytes: number) => void): Promise<string> {
    const hash = createHash("sha256");
    const file = openToRead(full, path);
    try {
      for (let read = 0; ; ) {
        const got = readSync(file, this.#room, 0, this.#room.length, null);
        if (got === 0) return hash.digest("hex");
        hash.update(this.#room.subarray(0, got));
        onBytes(got);
        read += got;
        if (read % (pieceBytes * 8) === 0) await breathe();
      }
    } finally {
      closeSync(file);
    }
  }
}

export function openToRead(full: string, path: string): number {
  try {
    return openSync(full, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw specFailure(`${path} cannot be read (${code}), so the folder cannot be sent`, leaveOutHint(path));
  }
}

function readKnown(file: string): ReadonlyMap<string, Known> {
  try {
    return new Map(JSON.parse(readFileSync(file, "utf8")) as [string, Known][]);
  } catch {
    return new Map();
  }
}
