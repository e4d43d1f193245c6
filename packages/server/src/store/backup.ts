import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { checkChain } from "../journal/chain.ts";
import type { JournalHead } from "../journal/format.ts";
import type { StoreConfig } from "./config.ts";
import type { WholeReader } from "./contents.ts";
import { StoreDamaged } from "./port.ts";
import { openFrozenPostgresReader, openPostgresStore } from "./postgres/store.ts";
import { primaryCodeOf } from "./sqlite/codes.ts";
import { cutOff, fileIn } from "./sqlite/connect.ts";
import { fillFile, isOfVersionBefore, openCopy, openFile, openReadOnly, openSqliteStore } from "./sqlite/store.ts";

/**
 * Writes everything that the store holds to one file, while the server may go on. The file is an SQLite store, whichever
 * store it comes from, so a backup of one can be restored into the other. Returns the head of the journal in it.
 */
export async function backup(from: StoreConfig, file: string): Promise<JournalHead> {
  if (existsSync(file))
    throw new Error(`${file} is there already; name a file that is not, so that no backup is lost.`);
  const partial = `${resolve(file)}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, "wx", 0o600)); // it will hold secrets, if encrypted ones
  try {
    if ("dir" in from) copyFile(fileIn(from.dir), partial);
    else await copyDatabase(from.url, partial);
    sync(partial);
    renameSync(partial, file);
    sync(dirname(partial));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  const written = openFile(file);
  try {
    const [fault] = await written.faults();
    if (fault !== undefined) throw new StoreDamaged(`The store is damaged, and so is the backup ${file}: ${fault}.`);
    return await written.head();
  } finally {
    await written.close();
  }
}

/**
 * Fills an empty store from a backup, all of it or nothing, and then reads the journal back and checks its chain.
 * Returns its head. The caller begins a new epoch before anything is done with it.
 */
export async function restore(file: string, into: StoreConfig): Promise<JournalHead> {
  const source = await openBackup(file);
  try {
    // To restore is to go on without what came after the backup, whatever a head file in the place still says.
    const options = { acceptLoss: true };
    const store = await ("dir" in into ? openSqliteStore(into.dir, options) : openPostgresStore(into, options));
    try {
      await store.fill(source);
      const check = await checkChain(store);
      if (!check.sound) throw new Error(`The restored journal is not sound: ${check.fault}`);
      return check.head;
    } finally {
      await store.close();
    }
  } finally {
    await source.close();
  }
}

/** A backup, for questions only. One of the version before is brought up to date in a copy. */
export async function openBackup(file: string): Promise<WholeReader> {
  if (!existsSync(file)) throw new Error(`There is no backup ${file}.`);
  try {
    return isOfVersionBefore(file) ? openCopy(file) : openFile(file);
  } catch (error) {
    if (primaryCodeOf(error) === undefined && !(error instanceof StoreDamaged)) throw error;
    const why = cutOff(file) ?? `it cannot be opened (${(error as Error).message})`;
    throw new StoreDamaged(`The backup ${file} is damaged: ${why}. Take another one.`, { cause: error });
  }
}

function copyFile(from: string, to: string): void {
  const db = openReadOnly(from);
  try {
    db.prepare("VACUUM INTO ?").run(to);
  } finally {
    db.close();
  }
}

async function copyDatabase(url: string, to: string): Promise<void> {
  const reader = await openFrozenPostgresReader(url);
  try {
    const [fault] = await reader.faults();
    if (fault !== undefined) throw new StoreDamaged(`The store is damaged, and no backup was written: ${fault}.`);
    await fillFile(to, reader);
  } finally {
    await reader.close();
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
