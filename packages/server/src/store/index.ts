import type { Store, StoreReader } from "./port.ts";
import { openPostgresReader, openPostgresStore, type PostgresConfig } from "./postgres/store.ts";
import { openSqliteReader, openSqliteStore } from "./sqlite/store.ts";

/** Where the store is: a directory of this machine, or a PostgreSQL database. */
export type StoreConfig = { readonly dir: string } | PostgresConfig;

/** Opens the store for the one writer. Throws StoreHeld when another has it. */
export async function openStore(config: StoreConfig): Promise<Store> {
  return "dir" in config ? openSqliteStore(config.dir) : openPostgresStore(config);
}

/** Opens the store for questions only, beside the writer. */
export async function openReader(config: StoreConfig): Promise<StoreReader> {
  return "dir" in config ? openSqliteReader(config.dir) : openPostgresReader(config.url);
}

export { MemoryPlace, openMemoryStore } from "./memory.ts";
export * from "./port.ts";
