import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { type Projected, restoreInstead, StoreDamaged, type StoreReader } from "../port.ts";
import { fileIn } from "./connect.ts";
import { holdDirectory } from "./lock.ts";
import { fillFile, openFile } from "./store.ts";

/**
 * Writes the file of a store anew from its journal and its private rows, which must be whole: what is damaged besides
 * (projections, indexes, snapshots) is made again. The old file is kept beside it; returns its name.
 */
export async function rewriteStore(
  dir: string,
  projections: (reader: StoreReader) => AsyncIterable<Projected>,
): Promise<string> {
  const lock = holdDirectory(dir);
  try {
    const file = resolve(fileIn(dir));
    const [draft, old] = [`${file}.new`, `${file}.damaged`];
    rmSync(draft, { force: true });
    const reader = openFile(file);
    try {
      const [fault] = await reader.privateFaults();
      if (fault !== undefined) throw new StoreDamaged(`${fault}. They cannot be made again. ${restoreInstead}`);
      await fillFile(draft, {
        rows: (from, limit) => reader.rows(from, limit),
        projected: () => projections(reader),
        allPrivates: () => reader.allPrivates(),
        latestSnapshot: async () => undefined, // the next stop writes one
      });
    } finally {
      await reader.close();
    }
    chmodSync(draft, 0o600);
    sync(draft);
    // The old log must go with the old file: SQLite would read it into the new one. Should this end half-way, the head
    // file tells that rows are missing, and all files are still there.
    for (const companion of ["-wal", "-shm", ""]) {
      rmSync(`${old}${companion}`, { force: true });
      if (existsSync(`${file}${companion}`)) renameSync(`${file}${companion}`, `${old}${companion}`);
    }
    renameSync(draft, file);
    sync(dir);
    return old;
  } finally {
    lock.release();
  }
}

function sync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
