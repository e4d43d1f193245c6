import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describeStore } from "../suite.ts";
import { fileIn, openFrozenSqliteReader, openSqliteReader, openSqliteStore } from "./store.ts";

describeStore("sqlite", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tessera-store-"));
  const tamper = async (statement: string) => {
    const db = new DatabaseSync(fileIn(dir));
    try {
      db.exec(statement);
    } finally {
      db.close();
    }
  };
  return {
    config: { dir },
    open: () => openSqliteStore(dir),
    read: () => openSqliteReader(dir),
    freeze: async () => openFrozenSqliteReader(dir),
    tamper,
    makeNewer: () => tamper("PRAGMA user_version = 999"),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
});
