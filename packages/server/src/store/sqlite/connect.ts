import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { checkVersion, migrate } from "./schema.ts";

export function fileIn(dir: string): string {
  return join(dir, "store.sqlite");
}

export function headFileIn(dir: string): string {
  return join(dir, "store.head");
}

/** How a file is shorter than it says it is; undefined when it is not. The header holds the size of a page and their number. */
export function cutOff(file: string): string | undefined {
  const header = Buffer.alloc(32);
  const opened = openSync(file, "r");
  try {
    readSync(opened, header, 0, header.length, 0);
    const said = header.readUInt16BE(16) * header.readUInt32BE(28);
    const { size } = fstatSync(opened);
    return size < said ? `it is cut off: ${size} of ${said} bytes are there` : undefined;
  } finally {
    closeSync(opened);
  }
}

/** A connection that commits durably: each commit is on the disk before it returns. */
export function openWritable(file: string): DatabaseSync {
  // Made by hand first, because SQLite would make it readable by all; its companions take over the mode of the file.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file, { timeout: 5_000 });
  try {
    checkVersion(db, file);
    // Memory-mapped reads stay off: a read error would then be a signal that ends the process, not an error.
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -32768;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
    `);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The same, but commits do not wait for the disk. */
export function openUnsynced(file: string): DatabaseSync {
  const db = openWritable(file);
  db.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 100000");
  return db;
}
