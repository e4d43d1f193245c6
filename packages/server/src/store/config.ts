import type { PostgresConfig } from "./postgres/store.ts";

/** Where the store is: a directory of this machine, or a PostgreSQL database. */
export type StoreConfig = { readonly dir: string } | PostgresConfig;
