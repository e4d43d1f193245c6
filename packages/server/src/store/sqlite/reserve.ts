import { randomFillSync } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

const mebibyte = 1024 * 1024;
/** Room for thousands of small commits: cancelled jobs, ended jobs, what was used. */
const reserveBytes = 16 * mebibyte;
/** The reserve itself must not be what fills the disk. */
const freeBytesMin = 4 * reserveBytes;

/** A file that is only there to be removed: then there is room to write what cannot wait until the disk has room. */
export class Reserve {
  readonly #dir: string;
  readonly #path: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.#path = join(dir, "store.reserve");
  }

  async keep(): Promise<void> {
    if (existsSync(this.#path)) return;
    const { bavail, bsize } = await statfs(this.#dir);
    if (bavail * bsize < freeBytesMin) return;
    // Not zeros, which some file systems do not store.
    await writeFile(this.#path, randomFillSync(Buffer.allocUnsafe(reserveBytes)), { mode: 0o600 }).catch(() =>
      this.give(),
    );
  }

  async give(): Promise<boolean> {
    const there = existsSync(this.#path);
    await rm(this.#path, { force: true });
    return there;
  }
}
