import { closeSync, createReadStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { JournalHead } from "../../journal/format.ts";
import type { StoreConfig } from "../config.ts";
import { StoreDamaged } from "../port.ts";
import { openFrozenPostgresReader } from "../postgres/store.ts";
import { sealingOf } from "../seal/sealing.ts";
import { fileIn } from "../sqlite/connect.ts";
import { schemaVersion } from "../sqlite/schema.ts";
import { fillFile, openFile, openReadOnly } from "../sqlite/store.ts";
import { type Preface, prefaceBytes } from "./preface.ts";
import { withScratch } from "./scratch.ts";
import { readSealed, writeSealed } from "./sealed.ts";

type KeyedPostgres = Extract<StoreConfig, { readonly url: string }>;

export interface BackupOptions {
  /** A folder that no one else can read, such as the data folder: the plain copy is in it until it is sealed. */
  readonly scratchIn: string;
  /** Seals the backup. */
  readonly key: Buffer;
  /** Texts of the other key files by name, which go into the backup: they open what is in it. */
  readonly keyFiles: Preface["keyFiles"];
}

/**
 * Writes everything that the store holds to one sealed file, while the server may go on. Inside is an SQLite store,
 * whichever store it comes from, so a backup of one can be restored into the other. Returns the head of the journal in it.
 */
export async function backup(from: StoreConfig, file: string, options: BackupOptions): Promise<JournalHead> {
  if (existsSync(file))
    throw new Error(`${file} is there already; name a file that is not, so that no backup is lost.`);
  return withScratch(options.scratchIn, async (scratch) => {
    const image = join(scratch, "store.sqlite");
    closeSync(openSync(image, "wx", 0o600));
    if ("dir" in from) copyFile(fileIn(from.dir), image);
    else await copyDatabase(from, image);
    const head = await headOfImage(image, from.keys);
    const preface = { at: Date.now(), seq: head.seq, schema: schemaVersion, keyFiles: options.keyFiles };
    await sealImage(image, file, preface, options.key);
    return head;
  });
}

async function headOfImage(image: string, keys: StoreConfig["keys"]): Promise<JournalHead> {
  const reader = openFile(image, keys);
  try {
    const [fault] = await reader.faults();
    if (fault !== undefined) throw new StoreDamaged(`The store is damaged, and no backup was written: ${fault}.`);
    return await reader.head();
  } finally {
    await reader.close();
  }
}

async function sealImage(image: string, file: string, preface: Preface, key: Buffer): Promise<void> {
  const partial = `${resolve(file)}.partial`;
  rmSync(partial, { force: true });
  try {
    const opened = await open(partial, "wx", 0o600);
    try {
      await writeSealed(opened, contentsOf(image, preface), key);
      await opened.sync();
    } finally {
      await opened.close();
    }
    for await (const _ of readSealed(partial, key)); // what cannot be opened is no backup
    renameSync(partial, file);
    sync(dirname(partial));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

async function* contentsOf(image: string, preface: Preface): AsyncGenerator<Buffer> {
  yield prefaceBytes(preface);
  yield* createReadStream(image, { highWaterMark: 64 * 1024 });
}

function copyFile(from: string, to: string): void {
  const db = openReadOnly(from);
  try {
    db.prepare("VACUUM INTO ?").run(to);
  } finally {
    db.close();
  }
}

async function copyDatabase({ url, keys }: KeyedPostgres, to: string): Promise<void> {
  const reader = await openFrozenPostgresReader(url, keys);
  try {
    const [fault] = await reader.faults();
    if (fault !== undefined) throw new StoreDamaged(`The store is damaged, and no backup was written: ${fault}.`);
    await fillFile(to, reader, sealingOf(reader.sealedBy, keys, "the database"));
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
