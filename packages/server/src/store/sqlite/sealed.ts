import type { DatabaseSync } from "node:sqlite";
import type { StoreKey } from "../seal/keys.ts";
import { type Sealing, sealingOf } from "../seal/sealing.ts";

/** What opens and seals the tables of a file. One of an older version is not sealed. */
export function sealingIn(db: DatabaseSync, keys: readonly StoreKey[] | undefined, place: string): Sealing {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sealing'").get() !== undefined;
  const by = there ? db.prepare("SELECT key FROM sealing").get()?.key : undefined;
  return sealingOf(typeof by === "string" ? by : undefined, keys, place);
}

/** Says which key seals the tables of a file, which must still be empty. */
export function markSealed(db: DatabaseSync, key: string): void {
  db.prepare("INSERT OR REPLACE INTO sealing (single, key) VALUES (1, ?)").run(key);
}
