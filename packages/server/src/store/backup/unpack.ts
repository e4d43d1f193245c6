import { copyFileSync, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { checkChain } from "../../journal/chain.ts";
import type { JournalHead } from "../../journal/format.ts";
import type { StoreConfig } from "../config.ts";
import type { FillableStore, WholeReader } from "../contents.ts";
import { type OpenOptions, StoreDamaged } from "../port.ts";
import { openPostgresStore, sealEmptyPostgres } from "../postgres/store.ts";
import type { StoreKey } from "../seal/keys.ts";
import { primaryCodeOf } from "../sqlite/codes.ts";
import { cutOff, fileIn } from "../sqlite/connect.ts";
import { schemaVersion } from "../sqlite/schema.ts";
import { openSqliteStore, sealEmptySqlite } from "../sqlite/store.ts";
import { type Preface, takePreface } from "./preface.ts";
import { isPlain, readSealed } from "./sealed.ts";

/** How a backup is opened. */
export interface OpenBackup {
  readonly file: string;
  /** Undefined where there is none: only a plain backup can be opened then. */
  readonly key: Buffer | undefined;
  /** Keys of stores: the contents of a sealed one are sealed in the backup too. */
  readonly keys?: readonly StoreKey[];
  /** The owner takes a backup of the time before they were sealed as it is. */
  readonly unsealed: boolean;
}

export interface Unpacked {
  readonly store: FillableStore;
  /** Undefined for a plain backup. */
  readonly preface: Preface | undefined;
  /** Its projections cannot be taken as they are: of an older version, or of a file that anyone may have changed. */
  readonly rebuild: boolean;
}

/** Opens the contents of a backup as a store in `folder`, brought up to today's version. Every byte was checked then. */
export async function unpack({ file, key, keys, unsealed }: OpenBackup, folder: string): Promise<Unpacked> {
  if (!existsSync(file)) throw new Error(`There is no backup ${file}.`);
  const image = fileIn(folder);
  let preface: Preface | undefined;
  if (await isPlain(file)) {
    if (!unsealed) throw new Error(plainRefused(file));
    copyFileSync(file, image);
  } else {
    if (key === undefined) throw new Error(`${file} is sealed: name the key that opens it with --key-file.`);
    preface = await writeImage(readSealed(file, key), image);
  }
  try {
    const store = await openSqliteStore(folder, { acceptLoss: true, say: () => {}, keys });
    return { store, preface, rebuild: preface?.schema !== schemaVersion };
  } catch (error) {
    if (primaryCodeOf(error) === undefined && !(error instanceof StoreDamaged)) throw error;
    const why = cutOff(image) ?? `it cannot be opened (${error instanceof Error ? error.message : error})`;
    throw new StoreDamaged(`The backup ${file} is damaged: ${why}. Take another one.`, { cause: error });
  }
}

function plainRefused(file: string): string {
  return (
    `${file} is a plain backup of an older Tessera: anyone who could write to it may have added or changed people, ` +
    "passwords, secrets and the history itself, and nothing in it would tell. If you know where it was kept, restore it " +
    "with --unsealed."
  );
}

async function writeImage(contents: AsyncIterable<Buffer>, image: string): Promise<Preface> {
  const opened = await open(image, "wx", 0o600);
  try {
    return await takePreface(contents, async (bytes) => void (await opened.appendFile(bytes)));
  } finally {
    await opened.close();
  }
}

/** Has a store, which must be empty, seal all that it will hold with this key. */
export async function sealEmpty(store: StoreConfig, key: string, options: OpenOptions = {}): Promise<void> {
  await ("dir" in store ? sealEmptySqlite(store.dir, key) : sealEmptyPostgres(store, options, key));
}

/**
 * Fills an empty store from another, all of it or nothing, and then reads the journal back and checks its chain. What
 * must be there before the store is, `prepare` makes. Returns its head.
 */
export async function fillEmpty(
  into: StoreConfig,
  source: WholeReader,
  prepare: () => void = () => {},
): Promise<JournalHead> {
  // To restore is to go on without what came after the backup, whatever a head file in the place still says.
  const options = { acceptLoss: true, keys: into.keys };
  const open = () => ("dir" in into ? openSqliteStore(into.dir, options) : openPostgresStore(into, options));
  let store: FillableStore = await open();
  if (store.sealedBy === undefined && source.sealedBy !== undefined && (await store.head()).seq === 0) {
    await store.close();
    await sealEmpty(into, source.sealedBy, options);
    store = await open();
  }
  try {
    if ((await store.head()).seq > 0)
      throw new Error("The store to restore into holds a journal already; name an empty folder or database.");
    prepare();
    await store.fill(source);
    const check = await checkChain(store);
    if (!check.sound) throw new Error(`The restored journal is not sound: ${check.fault}`);
    return check.head;
  } finally {
    await store.close();
  }
}
