import type { StoreConfig } from "./config.ts";
import type { WholeReader } from "./contents.ts";
import type { Store, StoreReader } from "./port.ts";
import { openFrozenPostgresReader, openPostgresReader, openPostgresStore } from "./postgres/store.ts";
import { openFrozenSqliteReader, openSqliteReader, openSqliteStore } from "./sqlite/store.ts";

/** Opens the store for the one writer. Throws StoreHeld when another has it. */
export async function openStore(config: StoreConfig): Promise<Store> {
  return "dir" in config ? openSqliteStore(config.dir) : openPostgresStore(config);
}

/** Opens the store for questions only, beside the writer. */
export async function openReader(config: StoreConfig): Promise<StoreReader> {
  return "dir" in config ? openSqliteReader(config.dir) : openPostgresReader(config.url);
}

/**
 * Opens the store as it is now: all answers are of this one moment, whatever the writer does meanwhile. For work that
 * compares one table with another; close it soon, since the database keeps old versions for it.
 */
export async function openFrozenReader(config: StoreConfig): Promise<WholeReader> {
  return "dir" in config ? openFrozenSqliteReader(config.dir) : openFrozenPostgresReader(config.url);
}

export { backup, restore } from "./backup.ts";
export type { StoreConfig } from "./config.ts";
export { MemoryPlace, openMemoryStore } from "./memory.ts";
export { type Store, StoreHeld, type StoreReader } from "./port.ts";
export { asStored } from "./stored.ts";
