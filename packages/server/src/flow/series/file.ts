import { rmSync } from "node:fs";
import { DamagedRow } from "./bytes.ts";
import { Chunk, readChunk } from "./chunk.ts";
import { Database, type Statement } from "./database.ts";
import { Damaged } from "./faults.ts";
import { chunkMs, coarsest, type LevelNo, levelNos, levels, minutesPerHour } from "./levels.ts";
import { type LineName, lineNames } from "./lines.ts";

/** Grows when tables or what is recorded change: roll-ups of another layout are made again from the journal. */
const layout = 8;
const spoiledLayout = -1;

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
  /** With the numbers under which its rows hold their values. */
  readonly keys: Map<string, number>;
}

/** The roll-ups on the disk: for each line and level, rows of many steps of all its keys. */
export class SeriesFile {
  readonly #place: string;
  readonly #db: Database;
  readonly #chunk: Statement;
  readonly #chunks: Statement;
  readonly #put: Statement;
  readonly #open: Statement;
  readonly #putOpen: Statement;
  readonly #putLine: Statement;
  readonly #putKey: Statement;
  readonly #putMark: Statement;

  private constructor(place: string, db: Database) {
    this.#place = place;
    this.#db = db;
    this.#chunk = db.prepare("SELECT bytes FROM chunk WHERE place = ?");
    this.#chunks = db.prepare("SELECT place, bytes FROM chunk WHERE place >= ? AND place < ?");
    this.#put = db.prepare("INSERT OR REPLACE INTO chunk (place, bytes) VALUES (?, ?)");
    this.#open = db.prepare("SELECT bytes FROM open WHERE line = ?");
    this.#putOpen = db.prepare("INSERT OR REPLACE INTO open (line, bytes) VALUES (?, ?)");
    this.#putLine = db.prepare("INSERT INTO line (name, account) VALUES (?, ?) RETURNING id");
    this.#putKey = db.prepare("INSERT INTO key (line, no, text) VALUES (?, ?, ?)");
    this.#putMark = db.prepare(
      "INSERT OR REPLACE INTO mark (one, seq, checkedSeq, hash, sampledUntil) VALUES (1, ?, ?, ?, ?)",
    );
  }

  /** Opens what is there; begins again where that is damaged or of another layout. Throws Unavailable. */
  static open(place: string, warn: (text: string) => void): SeriesFile {
    try {
      return SeriesFile.#opened(place);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      warn(`the series cannot be read (${error.message}) and are made again from the journal`);
      return SeriesFile.begin(place);
    }
  }

  static begin(place: string): SeriesFile {
    remove(place);
    return SeriesFile.#opened(place);
  }

  static #opened(place: string): SeriesFile {
    const db = new Database(place);
    try {
      // What a crash takes is made again from the journal: commits need not wait for the disk.
      db.exec(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384",
      );
      const version = db.prepare("PRAGMA user_version").get()?.user_version;
      if (version === spoiledLayout) throw new Damaged("a row of it is damaged");
      if (version !== 0 && version !== layout) throw new Damaged(`its layout is ${version}, not ${layout}`);
      // Only then: what is there already can also be opened on a full disk.
      if (version === 0) db.exec(tables);
      return new SeriesFile(place, db);
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
    const keys = new Map<unknown, Map<string, number>>();
    for (const { line, no, text } of this.#db.prepare("SELECT line, no, text FROM key").all()) {
      const ofLine = keys.get(line) ?? new Map<string, number>();
      keys.set(line, ofLine.set(String(text), Number(no)));
    }
    const rows = this.#db.prepare("SELECT id, name, account FROM line").all();
    return rows.flatMap(({ id, name: stored, account }) => {
      const name = lineNames.find((each) => each === stored);
      return name === undefined
        ? []
        : [{ id: Number(id), name, account: String(account), keys: keys.get(id) ?? new Map() }];
    });
  }

  newLine(name: LineName, account: string): number {
    return Number(this.#putLine.get(name, account)!.id);
  }

  newKey(line: number, no: number, text: string): void {
    this.#putKey.run(line, no, text);
  }

  /** What is stored of the chunk that holds an instant. */
  chunk(level: LevelNo, line: number, at: number): Chunk | undefined {
    const row = this.#chunk.get(placeOf(level, line, at));
    return row === undefined ? undefined : Chunk.of(bytesOf(row.bytes), levels[level].perChunk);
  }

  /** The chunks that overlap a time, with their begins, as they lie there: `readChunk` reads them. */
  chunks(level: LevelNo, line: number, from: number, to: number): [number, Uint8Array][] {
    const rows = this.#chunks.all(placeOf(level, line, from), placeOf(level, line, to - 1) + 1);
    return rows.map(({ place, bytes }) => [startOf(level, Number(place)), bytesOf(bytes)]);
  }

  put(level: LevelNo, line: number, at: number, chunk: Chunk): void {
    this.#put.run(placeOf(level, line, at), chunk.toBytes());
  }

  /** What is stored of the hour that is under way. */
  openHour(line: number): Chunk | undefined {
    const row = this.#open.get(line);
    return row === undefined ? undefined : Chunk.of(bytesOf(row.bytes), minutesPerHour);
  }

  putOpenHour(line: number, minutes: Chunk): void {
    this.#putOpen.run(line, minutes.toBytes());
  }

  closeHour(): void {
    this.#db.exec("DELETE FROM open");
  }

  /** All or nothing. */
  together(mark: Mark, write: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      write();
      this.#putMark.run(mark.seq, mark.checked.seq, mark.checked.hash, mark.sampledUntil);
      this.#db.exec("COMMIT");
    } catch (error) {
      // On a full disk SQLite has rolled back by itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Drops what is older than it is kept, and the lines and keys of which nothing is left. */
  dropOld(now: number): void {
    const drop = this.#db.prepare("DELETE FROM chunk WHERE place >= ? AND place < ?");
    for (const line of this.lines()) {
      const dropped = levelNos.map(
        (level) => drop.run(placeOf(level, line.id, 0), placeOf(level, line.id, now - levels[level].keptMs)).changes,
      );
      if (dropped[coarsest] !== 0) this.#dropUnused(line, now);
    }
  }

  /** The coarsest level is kept longest: what is not in it is in none. */
  #dropUnused({ id, keys }: StoredLine, now: number): void {
    const unused = new Set(keys.values());
    const use = (key: number) => void unused.delete(key);
    for (const [, bytes] of this.chunks(coarsest, id, 0, now)) readChunk(bytes, levels[coarsest].perChunk, use);
    for (const no of unused) this.#db.prepare("DELETE FROM key WHERE line = ? AND no = ?").run(id, no);
    if (unused.size === keys.size) this.#db.prepare("DELETE FROM line WHERE id = ?").run(id);
  }

  /** For a file that is damaged: the next time it is opened it begins again. Nothing is asked of this one after that. */
  spoil(): void {
    try {
      this.#db.exec(`PRAGMA user_version = ${spoiledLayout}`);
    } catch {
      // The damage is where the mark would be, or there is no room for it. Closed first: SQLite removes files at a close.
      this.#db.close();
      remove(this.#place);
    }
  }

  close(): void {
    this.#db.close();
  }
}

const tables = `
  CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, name TEXT NOT NULL, account TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS key (line INTEGER, no INTEGER, text TEXT NOT NULL, PRIMARY KEY (line, no)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chunk (place INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS open (line INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS mark (one INTEGER PRIMARY KEY, seq INTEGER, checkedSeq INTEGER, hash TEXT, sampledUntil INTEGER);
  PRAGMA user_version = ${layout};
`;

function remove(place: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${place}${end}`, { force: true });
}

// A place has 50 bits: ids of lines grow as accounts come and go, and 2^24 hours are 1,900 years.
const idsOfLines = 2 ** 24;
const chunksOfLine = 2 ** 24;

/** Where a row lies: by level, line and time, so that the rows of a chart lie side by side. */
function placeOf(level: LevelNo, line: number, at: number): number {
  return (level * idsOfLines + line) * chunksOfLine + Math.floor(at / chunkMs(level));
}

function startOf(level: LevelNo, place: number): number {
  return (place % chunksOfLine) * chunkMs(level);
}

function bytesOf(blob: unknown): Uint8Array {
  if (!(blob instanceof Uint8Array)) throw new DamagedRow("it holds no bytes");
  return blob;
}
