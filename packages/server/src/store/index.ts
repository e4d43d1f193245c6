import type { StoreConfig } from "./config.ts";
import type { WholeReader } from "./contents.ts";
import { compareHead, type HeadComparison } from "./head/compare.ts";
import type { OpenOptions, Store, StoreReader } from "./port.ts";
import { nameOf } from "./postgres/connect.ts";
import { openFrozenPostgresReader, openPostgresReader, openPostgresStore } from "./postgres/store.ts";
import { headFileIn } from "./sqlite/connect.ts";
import { openFrozenSqliteReader, openSqliteReader, openSqliteStore } from "./sqlite/store.ts";

/** Opens the store for the one writer. Throws StoreHeld when another has it, StoreDamaged when it lost rows. */
export async function openStore(config: StoreConfig, options?: OpenOptions): Promise<Store> {
  return "dir" in config
    ? openSqliteStore(config.dir, { ...options, keys: config.keys })
    : openPostgresStore(config, { ...options, keys: config.keys });
}

/** Opens the store for questions only, beside the writer. */
export async function openReader(config: StoreConfig): Promise<StoreReader> {
  return "dir" in config ? openSqliteReader(config.dir, config.keys) : openPostgresReader(config.url, config.keys);
}

/**
 * Opens the store as it is now: all answers are of this one moment, whatever the writer does meanwhile. For work that
 * compares one table with another; close it soon, since the database keeps old versions for it.
 */
export async function openFrozenReader(config: StoreConfig): Promise<WholeReader> {
  return "dir" in config
    ? openFrozenSqliteReader(config.dir, config.keys)
    : openFrozenPostgresReader(config.url, config.keys);
}

/** A frozen reader, and how the store compares with the head noted beside it; `reader` is of no earlier moment. */
export async function openCompared(config: StoreConfig): Promise<{ reader: WholeReader; comparison: HeadComparison }> {
  let reader: WholeReader | undefined;
  const open = async () => {
    reader = await openFrozenReader(config);
    return reader;
  };
  const [path, place] = "dir" in config ? [headFileIn(config.dir), config.dir] : [config.headFile, nameOf(config.url)];
  const comparison: HeadComparison = path === undefined ? { is: "same" } : await compareHead(path, place, open);
  return { reader: reader ?? (await open()), comparison };
}

export { backup } from "./backup/backup.ts";
export type { StoreConfig } from "./config.ts";
export { lossOf } from "./head/compare.ts";
export { MemoryPlace, openMemoryStore } from "./memory.ts";
export { type Store, StoreDamaged, StoreHeld, type StoreReader } from "./port.ts";
export { speaksTls } from "./postgres/tls.ts";
export { setUpWriter, warningAboutRole } from "./postgres/writer-role.ts";
export { asStored } from "./stored.ts";
