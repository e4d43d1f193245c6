import type { Store, StoreReader } from "./port.ts";
import { openSqliteReader, openSqliteStore } from "./sqlite/store.ts";

/** Where the store is: a directory of this machine. */
export type StoreConfig = { readonly dir: string };

/** Opens the store for the one writer. Throws StoreHeld when another has it. */
export async function openStore(config: StoreConfig): Promise<Store> {
  return openSqliteStore(config.dir);
}

/** Opens the store for questions only, beside the writer. */
export async function openReader(config: StoreConfig): Promise<StoreReader> {
  return openSqliteReader(config.dir);
}

export { MemoryPlace, openMemoryStore } from "./memory.ts";
export * from "./port.ts";
