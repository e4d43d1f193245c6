import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreHeld } from "../port.ts";
import { primaryCodeOf, sqliteBusy } from "./codes.ts";

/**
 * Holds `dir` for this process. The lock is that of an SQLite file of its own with an open exclusive transaction: the
 * operating system drops it at any death of the process, SIGKILL included, so no stale lock file can remain. The
 * store's own file is not locked this way, because readers in other threads and processes must get in.
 */
export function holdDirectory(dir: string): { release(): void } {
  const holderFile = join(dir, "store.holder");
  const lock = new DatabaseSync(join(dir, "store.lock"), { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"); // needs no room: the disk may be full
  } catch (cause) {
    lock.close();
    if (primaryCodeOf(cause) !== sqliteBusy) throw cause;
    throw new StoreHeld(
      `The store in ${dir} is held by another Tessera server${pidIn(holderFile)}. ` +
        "Stop that one first, or start this one with another data directory.",
    );
  }
  try {
    writeFileSync(holderFile, `${process.pid}\n`);
  } catch {
    // The disk is full: a second server is refused all the same, only without the number of this process.
  }
  return {
    release() {
      rmSync(holderFile, { force: true });
      lock.close();
    },
  };
}

function pidIn(holderFile: string): string {
  try {
    return ` (process ${readFileSync(holderFile, "utf8").trim()})`;
  } catch {
    return ""; // the holder has not written it yet; the message is complete without
  }
}
