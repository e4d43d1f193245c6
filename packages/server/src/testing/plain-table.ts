import { join } from "node:path";
import type { StoreConfig } from "../store/index.ts";
import { connect } from "../store/postgres/connect.ts";
import { openWritable } from "../store/sqlite/connect.ts";

/** A table beside the store's own, on the same disk and with the same durability: what a commit costs by itself. */
export interface PlainTable {
  /** Inserts one row in a transaction of its own; returns when it is durable. */
  insert(bytes: Uint8Array): void | Promise<void>;
  close(): Promise<void>;
}

export async function openPlainTable(config: StoreConfig): Promise<PlainTable> {
  if ("dir" in config) {
    const db = openWritable(join(config.dir, "plain.sqlite"));
    db.exec("CREATE TABLE IF NOT EXISTS plain (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    const insert = db.prepare("INSERT INTO plain (bytes) VALUES (?)");
    return { insert: (bytes) => void insert.run(bytes), close: async () => db.close() };
  }
  const client = await connect(config.url, "plain table");
  await client.query("SET synchronous_commit = on");
  await client.query("CREATE TABLE IF NOT EXISTS plain (seq bigserial PRIMARY KEY, bytes bytea NOT NULL)");
  const text = "INSERT INTO plain (bytes) VALUES ($1)";
  return {
    insert: async (bytes) => void (await client.query({ name: "plain", text, values: [bytes] })),
    close: () => client.end(),
  };
}
