import { createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DatabaseSync } from "node:sqlite";
import type { Row } from "./rows.ts";

/** A row outside the chain, which can be erased. */
export interface PrivateRow {
  readonly kind: string;
  readonly key: string;
  readonly value: Uint8Array;
}

/** Where a journal is read from. */
export interface Source {
  rows(): AsyncIterable<Row>;
  /** Undefined where the source holds none: an export. */
  privates(): readonly PrivateRow[] | undefined;
  close(): void;
}

/** A data folder, a store in SQLite, or an export of `tess admin journal export`. */
export async function openSource(path: string): Promise<Source> {
  const inFolder = [join(path, "store", "store.sqlite"), join(path, "store.sqlite")];
  const file = statSync(path).isDirectory() ? inFolder.find((each) => existsSync(each)) : path;
  if (file === undefined) throw new Error(`there is no store.sqlite in ${path}`);
  return file.endsWith(".jsonl") ? exported(file) : sqlite(file);
}

const rowsPerPage = 200;
const columns =
  "seq, at, op, epoch, inputs, events, event_count AS eventCount, events_before AS eventsBefore, salt, root, hash";

async function sqlite(file: string): Promise<Source> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(file, { readOnly: true });
  if (isSealed(db)) {
    db.close();
    throw new Error(
      `${file} is encrypted: check an export of it, which its owner makes: tess admin journal export FILE.jsonl`,
    );
  }
  const page = db.prepare(`SELECT ${columns} FROM journal WHERE seq > ? ORDER BY seq LIMIT ${rowsPerPage}`);
  return {
    async *rows() {
      for (let last = -1; ; ) {
        const rows = page.all(last) as unknown as Row[];
        yield* rows;
        if (rows.length < rowsPerPage) return;
        last = rows.at(-1)!.seq;
      }
    },
    privates: () => db.prepare("SELECT kind, key, value FROM private").all() as unknown as PrivateRow[],
    close: () => db.close(),
  };
}

function isSealed(db: DatabaseSync): boolean {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sealing'").get();
  return there !== undefined && db.prepare("SELECT 1 FROM sealing").get() !== undefined;
}

function exported(file: string): Source {
  const bytes = ["inputs", "events", "salt", "root", "hash"] as const;
  return {
    async *rows() {
      for await (const line of createInterface({ input: createReadStream(file) })) {
        const row = JSON.parse(line) as Record<(typeof bytes)[number], string>;
        const decoded = bytes.map((field) => [field, Buffer.from(row[field], "base64")]);
        yield { ...row, ...Object.fromEntries(decoded) } as unknown as Row;
      }
    },
    privates: () => undefined,
    close: () => {},
  };
}
