import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { chunkStart, type LevelNo, levelNos, levels } from "./levels.ts";
import { type LineName, lineNames } from "./lines.ts";

/** Grows when tables or what is recorded change: roll-ups of another layout are made again from the journal. */
const layout = 3;

/** How far the roll-ups have come; written together with them, so that no row of the journal counts twice. */
export interface Mark {
  readonly seq: number;
  /** A row that is in here and its hash: another journal in the same place is noticed. */
  readonly checked: { readonly seq: number; readonly hash: string };
  readonly sampledUntil: number;
}

export interface StoredLine {
  readonly id: number;
  readonly name: LineName;
  readonly account: string;
  readonly key: string;
}

/** The roll-ups on the disk: for each line and level, rows of many values each. */
export class SeriesFile {
  readonly #db: DatabaseSync;
  readonly #chunk: StatementSync;
  readonly #chunks: StatementSync;
  readonly #put: StatementSync;
  readonly #putLine: StatementSync;
  readonly #putMark: StatementSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.#chunk = db.prepare("SELECT amounts FROM chunk WHERE level = ? AND line = ? AND start = ?");
    this.#chunks = db.prepare(
      "SELECT start, amounts FROM chunk WHERE level = ? AND line = ? AND start >= ? AND start < ?",
    );
    this.#put = db.prepare("INSERT OR REPLACE INTO chunk (level, line, start, amounts) VALUES (?, ?, ?, ?)");
    this.#putLine = db.prepare("INSERT INTO line (name, account, key) VALUES (?, ?, ?) RETURNING id");
    this.#putMark = db.prepare(
      "INSERT OR REPLACE INTO mark (one, seq, checkedSeq, hash, sampledUntil) VALUES (1, ?, ?, ?, ?)",
    );
  }

  /** Opens what is there, if it can be used; begins again otherwise. */
  static open(file: string, warn: (text: string) => void): SeriesFile {
    try {
      return SeriesFile.#opened(file);
    } catch (error) {
      warn(`the series cannot be read (${(error as Error).message}) and are made again from the journal`);
      return SeriesFile.begin(file);
    }
  }

  static begin(file: string): SeriesFile {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    return SeriesFile.#opened(file);
  }

  static #opened(file: string): SeriesFile {
    // Made by hand first, because SQLite would make it readable by all.
    if (file !== ":memory:" && !existsSync(file)) closeSync(openSync(file, "a", 0o600));
    const db = new DatabaseSync(file, { timeout: 5_000 });
    try {
      // What a crash takes is made again from the journal: commits need not wait for the disk.
      db.exec(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384",
      );
      const version = db.prepare("PRAGMA user_version").get()?.user_version;
      if (version !== 0 && version !== layout) throw new Error(`its layout is ${version}, not ${layout}`);
      db.exec(`
        CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, name TEXT NOT NULL, account TEXT NOT NULL, key TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS chunk (level INTEGER, line INTEGER, start INTEGER, amounts BLOB NOT NULL,
          PRIMARY KEY (level, line, start)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS mark (one INTEGER PRIMARY KEY, seq INTEGER, checkedSeq INTEGER, hash TEXT, sampledUntil INTEGER);
        PRAGMA user_version = ${layout};
      `);
      return new SeriesFile(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  mark(): Mark | undefined {
    const row = this.#db.prepare("SELECT seq, checkedSeq, hash, sampledUntil FROM mark").get();
    if (row === undefined) return undefined;
    const checked = { seq: Number(row.checkedSeq), hash: String(row.hash) };
    return { seq: Number(row.seq), checked, sampledUntil: Number(row.sampledUntil) };
  }

  lines(): StoredLine[] {
    const rows = this.#db.prepare("SELECT id, name, account, key FROM line").all();
    return rows.flatMap((row) => {
      const name = lineNames.find((each) => each === row.name);
      return name === undefined
        ? []
        : [{ id: Number(row.id), name, account: String(row.account), key: String(row.key) }];
    });
  }

  newLine(name: LineName, account: string, key: string): number {
    return Number(this.#putLine.get(name, account, key)!.id);
  }

  /** The values of the chunk that holds an instant. */
  chunk(level: LevelNo, line: number, at: number): Float64Array | undefined {
    const row = this.#chunk.get(level, line, chunkStart(level, at));
    return row === undefined ? undefined : amountsOf(row.amounts);
  }

  /** The chunks that overlap a time, with their begins. */
  chunks(level: LevelNo, line: number, from: number, to: number): [number, Float64Array][] {
    const rows = this.#chunks.all(level, line, chunkStart(level, from), to);
    return rows.map((row) => [Number(row.start), amountsOf(row.amounts)]);
  }

  put(level: LevelNo, line: number, at: number, amounts: Float64Array): void {
    this.#put.run(
      level,
      line,
      chunkStart(level, at),
      new Uint8Array(amounts.buffer, amounts.byteOffset, amounts.byteLength),
    );
  }

  /** All or nothing. */
  together(mark: Mark, write: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      write();
      this.#putMark.run(mark.seq, mark.checked.seq, mark.checked.hash, mark.sampledUntil);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Drops what is older than it is kept, and lines of which nothing is left. */
  dropOld(now: number): void {
    for (const level of levelNos)
      this.#db
        .prepare("DELETE FROM chunk WHERE level = ? AND start < ?")
        .run(level, chunkStart(level, now - levels[level].keptMs));
    this.#db.exec("DELETE FROM line WHERE id NOT IN (SELECT line FROM chunk)");
  }

  close(): void {
    this.#db.close();
  }
}

function amountsOf(blob: unknown): Float64Array {
  if (!(blob instanceof Uint8Array)) throw new Error("a row of the series is damaged");
  if (blob.byteOffset % 8 === 0) return new Float64Array(blob.buffer, blob.byteOffset, blob.byteLength / 8);
  return new Float64Array(blob.slice().buffer);
}
