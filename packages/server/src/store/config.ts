import type { PostgresConfig } from "./postgres/store.ts";
import type { StoreKey } from "./seal/keys.ts";

/** Where the store is: a directory of this machine, or a PostgreSQL database. */
export type StoreConfig = ({ readonly dir: string } | PostgresConfig) & {
  /** Keys of stores; one that is sealed names the one it needs. */
  readonly keys?: readonly StoreKey[];
};
