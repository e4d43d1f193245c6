import { mkdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Chunk, ReadChunk } from "./chunk.ts";
import type { View } from "./view.ts";

/** What is kept at each width of time: every sample, minutes, hours. */
export const levels = ["raw", "minute", "hour"] as const;
export type Level = 0 | 1 | 2;
export const baseMs = [10_000, 60_000, 3_600_000] as const;

/** Which chunks are read. Times are the ends of stretches: after `from`, up to and with `to`. */
export interface ChunkQuery {
  readonly view: View;
  readonly level: Level;
  readonly from: number;
  readonly to: number;
  /** Absent = all. */
  readonly parts?: readonly string[];
}

/** 1 had a block for each column, and parts by other names: both are read. */
const layout = 2;
const fileName = "telemetry.sqlite";
/** SQLite's codes for a file that is damaged, or none of its own. */
const damagedCodes = new Set([11, 26]);

/** The chunks on the disk. Losing them loses what is drawn, nothing else: a damaged file is put aside. */
export class TelemetryFile {
  readonly #dir: string | undefined;
  readonly #warn: (text: string) => void;
  readonly #readOnly: boolean;
  #db: DatabaseSync;
  /** By level and view. */
  readonly #bytes = new Map<string, number>();
  readonly #statements = new Map<string, StatementSync>();

  /** Without a folder it lives in memory. */
  constructor(dir: string | undefined, warn: (text: string) => void, readOnly = false) {
    this.#dir = dir;
    this.#warn = warn;
    this.#readOnly = readOnly;
    if (dir !== undefined && !readOnly) mkdirSync(dir, { recursive: true, mode: 0o700 });
    try {
      this.#db = this.#open();
    } catch (error) {
      if (!isDamage(error) || readOnly) throw error;
      this.#db = this.#putAside(error as Error);
    }
  }

  /** Does `act`; a file that turns out to be damaged is put aside, and `instead` is the answer. */
  guard<Answer>(act: () => Answer, instead: Answer): Answer {
    try {
      return act();
    } catch (error) {
      if (!isDamage(error) || this.#readOnly) throw error;
      this.#db.close();
      this.#db = this.#putAside(error as Error);
      return instead;
    }
  }

  /** All or nothing. */
  atOnce(act: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      act();
      this.#db.exec("COMMIT");
    } catch (error) {
      try {
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      } finally {
        this.#count();
      }
      throw error;
    }
  }

  insert(view: View, level: Level, { part, rows, fromAt, toAt, crc, body }: Chunk): void {
    this.#sql(
      "INSERT INTO chunk (view, level, part, from_at, to_at, rows, bytes, crc, body) VALUES (?,?,?,?,?,?,?,?,?)",
    ).run(view, level, part, fromAt, toAt, rows, body.length, crc, body);
    this.#grow(level, view, body.length);
  }

  /** How many rows the chunks of a query have. */
  rows(query: ChunkQuery): number {
    const { where, given } = selected(query);
    const row = this.#sql(`SELECT sum(rows) AS n FROM chunk WHERE ${where}`).get(...given);
    return Number(row?.n ?? 0);
  }

  /** The chunks of a query, oldest first. A damaged one is dropped, and that is said. */
  *read(query: ChunkQuery): Generator<ReadChunk> {
    const { where, given } = selected(query);
    const ids = this.#sql(`SELECT id FROM chunk WHERE ${where} ORDER BY from_at, id`).all(...given);
    const one = this.#sql("SELECT crc, body FROM chunk WHERE id = ?");
    for (const { id } of ids) {
      const row = one.get(Number(id));
      if (row === undefined || !(row.body instanceof Uint8Array)) continue;
      let chunk: ReadChunk;
      try {
        chunk = new ReadChunk({ crc: Number(row.crc), body: row.body });
      } catch (error) {
        this.#warn(`${(error as Error).message}: dropped`);
        if (!this.#readOnly) this.#sql("DELETE FROM chunk WHERE id = ?").run(Number(id));
        continue;
      }
      yield chunk;
    }
  }

  /** The parts of a view that have chunks in a stretch of time. */
  parts({ view, level, from, to }: Omit<ChunkQuery, "parts">): string[] {
    const sql = "SELECT DISTINCT part FROM chunk WHERE view = ? AND level = ? AND from_at > ? AND to_at <= ?";
    return this.#sql(sql)
      .all(view, level, from, to)
      .map(({ part }) => String(part));
  }

  /** Deletes the chunks that lie within a stretch of time. */
  drop({ view, level, from, to }: Omit<ChunkQuery, "parts">, part: string): void {
    const sql =
      "DELETE FROM chunk WHERE view = ? AND level = ? AND part = ? AND from_at > ? AND to_at <= ? RETURNING bytes";
    for (const { bytes } of this.#sql(sql).all(view, level, part, from, to)) this.#grow(level, view, -Number(bytes));
  }

  /** Deletes what ended before. */
  expire(level: Level, view: View, before: number): void {
    const sql = "DELETE FROM chunk WHERE level = ? AND view = ? AND from_at < ? AND to_at < ? RETURNING bytes";
    for (const { bytes } of this.#sql(sql).all(level, view, before, before)) this.#grow(level, view, -Number(bytes));
  }

  /** Deletes the oldest chunks of a view at a level; false = there is none. */
  dropOldest(level: Level, view: View): boolean {
    const oldest = `SELECT id FROM chunk WHERE level = ? AND view = ? ORDER BY from_at LIMIT ${dropAtOnce}`;
    const gone = this.#sql(`DELETE FROM chunk WHERE id IN (${oldest}) RETURNING bytes`).all(level, view);
    for (const { bytes } of gone) this.#grow(level, view, -Number(bytes));
    return gone.length > 0;
  }

  /** The end of the oldest stretch of a level, or of one view of it; undefined = there is none. */
  oldest(level: Level, view?: View): number | undefined {
    const ofView = view === undefined ? "" : " AND view = ?";
    const statement = this.#sql(`SELECT min(from_at) AS at FROM chunk WHERE level = ?${ofView}`);
    const row = view === undefined ? statement.get(level) : statement.get(level, view);
    return typeof row?.at === "number" ? row.at : undefined;
  }

  /** Up to when hours have been made of minutes. */
  get hourMark(): number {
    const row = this.#sql("SELECT at FROM mark WHERE level = 2").get();
    return typeof row?.at === "number" ? row.at : 0;
  }

  setHourMark(at: number): void {
    this.#sql("INSERT OR REPLACE INTO mark VALUES (2, ?)").run(at);
  }

  bytesOf(level: Level, view: View): number {
    return this.#bytes.get(`${level} ${view}`) ?? 0;
  }

  /** What the file has in use; free pages are used again before it grows. */
  get bytesUsed(): number {
    return (this.#pragma("page_count") - this.#pragma("freelist_count")) * this.#pragma("page_size");
  }

  get bytesOnDisk(): number {
    return this.#pragma("page_count") * this.#pragma("page_size");
  }

  /** What the disk has left. */
  get bytesFree(): number {
    if (this.#dir === undefined) return Number.POSITIVE_INFINITY;
    const { bavail, bsize } = statfsSync(this.#dir);
    return bavail * bsize;
  }

  /** Gives free pages back until the file is no larger than this. */
  shrink(bytesMax: number): void {
    if (this.bytesOnDisk > bytesMax) this.#db.exec("PRAGMA incremental_vacuum");
  }

  /** Empties the log, which would come on top of what the file may hold. */
  settle(): void {
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#db.close();
  }

  #open(): DatabaseSync {
    const path = this.#dir === undefined ? ":memory:" : join(this.#dir, fileName);
    const db = new DatabaseSync(path, { readOnly: this.#readOnly });
    try {
      db.exec("PRAGMA busy_timeout = 2000");
      if (!this.#readOnly)
        db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      const version = Number(db.prepare("PRAGMA user_version").get()?.user_version);
      if (version > layout) throw new LayoutUnknown(`its layout ${version} is newer than ${layout}`);
      if (version === 0 && !this.#readOnly) db.exec(schema);
      if (version === 1 && !this.#readOnly) db.exec(fromFirst);
      this.#db = db;
      this.#statements.clear();
      this.#count();
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  #putAside({ message }: Error): DatabaseSync {
    if (this.#dir === undefined) throw new Error(message);
    const file = join(this.#dir, fileName);
    const aside = join(this.#dir, "telemetry.damaged");
    rmSync(aside, { force: true });
    renameSync(file, aside);
    for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
    this.#warn(`the file of samples cannot be read (${message}): it is kept as ${aside}, and a new one begins`);
    return this.#open();
  }

  #count(): void {
    this.#bytes.clear();
    const sql = "SELECT level, view, sum(bytes) AS n FROM chunk GROUP BY level, view";
    for (const { level, view, n } of this.#sql(sql).all()) this.#bytes.set(`${level} ${view}`, Number(n));
  }

  #grow(level: Level, view: View, bytes: number): void {
    this.#bytes.set(`${level} ${view}`, this.bytesOf(level, view) + bytes);
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #pragma(name: "page_count" | "freelist_count" | "page_size"): number {
    return Number(this.#sql(`PRAGMA ${name}`).get()?.[name]);
  }
}

class LayoutUnknown extends Error {}

const dropAtOnce = 16;

function selected({ view, level, from, to, parts }: ChunkQuery): { where: string; given: (string | number)[] } {
  const where = "view = ? AND level = ? AND from_at <= ? AND to_at > ?";
  const given = [view, level, to, from];
  if (parts === undefined) return { where, given };
  return { where: `${where} AND part IN (SELECT value FROM json_each(?))`, given: [...given, JSON.stringify(parts)] };
}

function isDamage(error: unknown): boolean {
  if (error instanceof LayoutUnknown) return true;
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
  return damagedCodes.has(code & 0xff);
}

const ageIndex = "CREATE INDEX chunk_age ON chunk (level, view, from_at, to_at, bytes);";

const fromFirst = `
  BEGIN;
  DROP INDEX chunk_age;
  ${ageIndex}
  PRAGMA user_version = ${layout};
  COMMIT;
`;

const schema = `
  BEGIN;
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, view TEXT NOT NULL, level INTEGER NOT NULL, part TEXT NOT NULL,
    from_at INTEGER NOT NULL, to_at INTEGER NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
    crc INTEGER NOT NULL, body BLOB NOT NULL
  );
  CREATE INDEX chunk_place ON chunk (view, level, part, from_at, to_at, rows);
  ${ageIndex}
  CREATE TABLE mark (level INTEGER PRIMARY KEY, at INTEGER NOT NULL);
  PRAGMA user_version = ${layout};
  COMMIT;
`;
