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
  #given = false;

  constructor(dir: string) {
    this.#dir = dir;
    this.#path = join(dir, "store.reserve");
  }

  /** How much of the free space is the reserve that was given up: it is not for anything new. */
  get owedBytes(): number {
    return this.#given ? reserveBytes : 0;
  }

  async keep(): Promise<void> {
    if (existsSync(this.#path)) return;
    const { bavail, bsize } = await statfs(this.#dir);
    if (bavail * bsize < freeBytesMin) return;
    // Not zeros, which some file systems do not store.
    const written = writeFile(this.#path, randomFillSync(Buffer.allocUnsafe(reserveBytes)), { mode: 0o600 });
    await written.then(
      () => {
        this.#given = false;
      },
      () => this.give(),
    );
  }

  async give(): Promise<boolean> {
    const there = existsSync(this.#path);
    await rm(this.#path, { force: true });
    this.#given ||= there;
    return there;
  }
}
