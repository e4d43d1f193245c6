import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type FillableStore, type Filling, pour, type WholeReader } from "../contents.ts";
import { type Batch, CommitOutage, type PrivateWrite, type Projected, type Snapshot } from "../port.ts";
import { Turns } from "../turns.ts";
import { primaryCodeOf, sqliteBusy, sqliteFull } from "./codes.ts";
import { Inserts } from "./insert.ts";
import { holdDirectory } from "./lock.ts";
import { SqliteReader } from "./reader.ts";
import { checkVersion, migrate, schemaVersion } from "./schema.ts";

const projections = ["ended_job", "ended_job_under", "usage", "device", "audit", "audit_under", "book"];

/** Opens the store in `dir` for the one writer, making it when it is not there. Throws StoreHeld when it is in use. */
export async function openSqliteStore(dir: string): Promise<FillableStore> {
  return openHeld(dir, openWritable);
}

/** The same, but commits do not wait for the disk: to fill a store that is only there to be measured. */
export async function openUnsyncedSqliteStore(dir: string): Promise<FillableStore> {
  return openHeld(dir, (file) => {
    const db = openWritable(file);
    db.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 100000");
    return db;
  });
}

function openHeld(dir: string, open: (file: string) => DatabaseSync): FillableStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = holdDirectory(dir);
  try {
    return new SqliteStore(resolve(dir), lock, open(fileIn(dir)));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens the store in `dir` for questions only; works beside the writer, in another thread or process. */
export async function openSqliteReader(dir: string): Promise<SqliteReader> {
  return openFile(fileIn(dir));
}

/** A reader all of whose answers are of one moment, while the server goes on writing. */
export function openFrozenSqliteReader(dir: string): SqliteReader {
  const db = openReadOnly(fileIn(dir));
  db.exec("BEGIN");
  db.prepare("SELECT max(seq) FROM journal").get(); // the moment is that of the first read
  return new SqliteReader(db);
}

/** Opens one file that holds a store, for questions only. */
export function openFile(file: string): SqliteReader {
  return new SqliteReader(openReadOnly(file));
}

/** A connection that can only read, to a file of today's version. */
export function openReadOnly(file: string): DatabaseSync {
  if (!existsSync(file)) throw new Error(`There is no store ${file}: start the server once, or name its directory.`);
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    if (checkVersion(db, file) < schemaVersion) {
      throw new Error(`${file} is of an older Tessera; open it once with the server, which brings it up to date.`);
    }
    db.exec("PRAGMA cache_size = -32768");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Fills a new file with the contents of another store. It is not synced; the caller does that once at the end. */
export async function fillFile(file: string, from: WholeReader): Promise<void> {
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    migrate(db, file);
    db.exec("BEGIN");
    await pour(from, fillingOf(new Inserts(db)));
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

function fillingOf(inserts: Inserts): Filling {
  return {
    rows: (rows) => rows.forEach((row) => void inserts.row(row)),
    projected: (projected) => inserts.projected(projected),
    privates: (writes) => inserts.privates(writes),
    snapshot: (snapshot) => inserts.snapshot(snapshot),
  };
}

export function fileIn(dir: string): string {
  return join(dir, "store.sqlite");
}

/** A connection that commits durably: each commit is on the disk before it returns. */
export function openWritable(file: string): DatabaseSync {
  // Made by hand first, because SQLite would make it readable by all; its companions take over the mode of the file.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file, { timeout: 5_000 });
  try {
    checkVersion(db, file);
    // Memory-mapped reads stay off: a read error would then be a signal that ends the process, not an error.
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
    `);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteStore extends SqliteReader implements FillableStore {
  readonly #dir: string;
  readonly #lock: { release(): void };
  readonly #db: DatabaseSync;
  readonly #inserts: Inserts;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #turns = new Turns();
  #stopped: CommitOutage | undefined;

  /** Questions go through a connection of their own, so that they never see a transaction half-way. */
  constructor(dir: string, lock: { release(): void }, db: DatabaseSync) {
    super(new DatabaseSync(fileIn(dir), { readOnly: true, timeout: 5_000 }));
    this.#dir = dir;
    this.#lock = lock;
    this.#db = db;
    this.#inserts = new Inserts(db);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
  }

  append(batch: Batch): Promise<void> {
    return this.#write(`batch ${batch.row.seq}`, () => {
      this.#inserts.row(batch.row);
      this.#inserts.projected(batch.projected);
      this.#inserts.privates(batch.privates);
    });
  }

  writeSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#write(`snapshot ${snapshot.seq}`, () => this.#inserts.snapshot(snapshot));
  }

  writePrivates(writes: readonly PrivateWrite[]): Promise<void> {
    return this.#write("private rows", () => this.#inserts.privates(writes));
  }

  replaceProjections(pages: AsyncIterable<Projected>): Promise<void> {
    return this.#write("rebuilt projections", async () => {
      for (const table of projections) this.#db.exec(`DELETE FROM ${table}`);
      for await (const page of pages) this.#inserts.projected(page);
    });
  }

  fill(from: WholeReader): Promise<void> {
    return this.#write("a restored journal", async () => {
      if ((await this.head()).seq > 0) throw new Error("it holds a journal already; restore into an empty directory");
      await pour(from, fillingOf(this.#inserts));
    });
  }

  async freeBytes(): Promise<number | undefined> {
    const { bavail, bsize } = await statfs(this.#dir);
    return bavail * bsize;
  }

  /** Never calls: the lock is the process's own and ends only with it. */
  onLost(): void {}

  override async close(): Promise<void> {
    await this.#turns.done();
    if (!this.#db.isOpen) return;
    await super.close();
    this.#db.close();
    this.#lock.release();
  }

  #write(what: string, write: () => void | Promise<void>): Promise<void> {
    return this.#turns.take(() => this.#transact(what, write));
  }

  async #transact(what: string, write: () => void | Promise<void>): Promise<void> {
    if (this.#stopped !== undefined) {
      throw new CommitOutage(`${what} was not written: an earlier commit failed in ${this.#dir}`, true, this.#stopped);
    }
    let committing = false;
    try {
      this.#begin.run();
      const writing = write();
      if (writing !== undefined) await writing;
      committing = true;
      this.#commit.run();
    } catch (cause) {
      const outage = outageOf(cause, what, this.#dir, committing);
      if (!outage.known) this.#stopped = outage;
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw outage;
    }
  }
}

/**
 * What a failed write means. Before COMMIT nothing can have become durable. A COMMIT that found the disk full or the
 * file busy wrote no complete commit record; after any other failure of it (a failed sync above all) the record may be
 * in the file, and recovery may find it there: nobody knows.
 */
function outageOf(cause: unknown, what: string, dir: string, committing: boolean): CommitOutage {
  const code = primaryCodeOf(cause);
  const known = !committing || code === sqliteFull || code === sqliteBusy;
  const reason =
    code === sqliteFull ? "the disk is full; free some space" : cause instanceof Error ? cause.message : cause;
  const result = known ? "nothing of it was kept" : "whether it was kept is unknown until the store is opened again";
  return new CommitOutage(`Writing ${what} to ${dir} failed, ${result}: ${reason}`, known, cause);
}
