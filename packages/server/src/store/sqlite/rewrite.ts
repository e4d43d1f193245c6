import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { type Projected, restoreInstead, StoreDamaged, type StoreReader } from "../port.ts";
import type { StoreKey } from "../seal/keys.ts";
import { sealingOf } from "../seal/sealing.ts";
import { fileIn } from "./connect.ts";
import { holdDirectory } from "./lock.ts";
import type { SqliteReader } from "./reader.ts";
import { fillFile, openFile } from "./store.ts";

/**
 * Writes the file of a store anew from its journal and its private rows, which must be whole: what is damaged besides
 * (projections, indexes, snapshots) is made again. The old file is kept beside it; returns its name.
 */
export async function rewriteStore(
  { dir, keys }: RewrittenStore,
  projections: (reader: StoreReader) => AsyncIterable<Projected>,
): Promise<string> {
  return rewrite(dir, async (file, draft) => {
    const reader = openFile(file, keys);
    try {
      await mustHavePrivates(reader);
      const source = {
        rows: reader.rows.bind(reader),
        projected: () => projections(reader),
        allPrivates: reader.allPrivates.bind(reader),
        latestSnapshot: async () => undefined, // the next stop writes one
      };
      await fillFile(draft, source, sealingOf(reader.sealedBy, keys, dir));
    } finally {
      await reader.close();
    }
  });
}

/**
 * Writes the file of a store again with everything in it sealed by another key, or by none. The chain covers what rows say
 * and not how they are kept, so that every hash stays. The old file is removed.
 */
export async function sealStore({ dir, keys }: RewrittenStore, by: string | undefined): Promise<void> {
  const old = await rewrite(dir, async (file, draft) => {
    const reader = openFile(file, keys);
    try {
      await mustHavePrivates(reader);
      await fillFile(draft, reader, sealingOf(by, keys, dir));
    } finally {
      await reader.close();
    }
  });
  for (const companion of companions) rmSync(`${old}${companion}`, { force: true });
}

interface RewrittenStore {
  readonly dir: string;
  readonly keys?: readonly StoreKey[] | undefined;
}

/** SQLite keeps these beside a file. */
const companions = ["-wal", "-shm", ""];

async function mustHavePrivates(reader: SqliteReader): Promise<void> {
  const [fault] = await reader.privateFaults();
  if (fault !== undefined) throw new StoreDamaged(`${fault}. They cannot be made again. ${restoreInstead}`);
}

/** Has `fill` write another file for the store and puts it in the place of the old one, whose name it returns. */
async function rewrite(dir: string, fill: (file: string, draft: string) => Promise<void>): Promise<string> {
  const lock = holdDirectory(dir);
  try {
    const file = resolve(fileIn(dir));
    const [draft, old] = [`${file}.new`, `${file}.damaged`];
    rmSync(draft, { force: true });
    await fill(file, draft);
    chmodSync(draft, 0o600);
    sync(draft);
    // The old log must go with the old file: SQLite would read it into the new one. Should this end half-way, the head
    // file tells that rows are missing, and all files are still there.
    for (const companion of companions) {
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
