import { existsSync, mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JournalHead } from "../../journal/format.ts";
import { headOf, sealRow } from "../../journal/row.ts";
import { type FillableStore, type Filling, pour, type Source, type WholeReader } from "../contents.ts";
import { openHeadFile } from "../head/compare.ts";
import type { HeadFile } from "../head/head-file.ts";
import {
  type Batch,
  CommitOutage,
  type OpenOptions,
  type PrivateWrite,
  type Projected,
  restoreInstead,
  type Snapshot,
  StoreDamaged,
} from "../port.ts";
import type { StoreKey } from "../seal/keys.ts";
import { plain, type Sealing } from "../seal/sealing.ts";
import { Turns } from "../turns.ts";
import { primaryCodeOf, sqliteCorrupt } from "./codes.ts";
import { Committer, type CommitWork } from "./committer.ts";
import { cutOff, fileIn, headFileIn, openUnsynced, openWritable } from "./connect.ts";
import { Inserts } from "./insert.ts";
import { holdDirectory } from "./lock.ts";
import { SqliteReader } from "./reader.ts";
import { Reserve } from "./reserve.ts";
import { checkVersion, migrate, schemaVersion } from "./schema.ts";
import { markSealed, sealingIn } from "./sealed.ts";
import { isFullAt, outageOf, Transactions } from "./transact.ts";
import { fieldsOf } from "./values.ts";

const projections = ["ended_job", "ended_job_under", "usage", "device", "audit", "audit_under", "book"];

const holdsJournal = "it holds a journal already; restore into an empty directory";

/**
 * Opens the store in `dir` for the one writer, making it when it is not there. Throws StoreHeld when it is in use, and
 * StoreDamaged when it lacks rows that were written.
 */
export async function openSqliteStore(dir: string, options: OpenOptions = {}): Promise<FillableStore> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    return await openOnce(dir, options);
  } catch (error) {
    if (!isFullAt(error, dir)) throw error;
    if (await new Reserve(dir).give()) return openOnce(dir, options);
    throw new Error(`the disk of ${dir} is full: free some space, then start again`, { cause: error });
  }
}

async function openOnce(dir: string, options: OpenOptions): Promise<FillableStore> {
  const lock = holdDirectory(dir);
  try {
    const rows = lookAt(fileIn(dir), options.keys);
    const headFile = await openHeadFile(headFileIn(resolve(dir)), dir, rows, options).finally(() => rows.close());
    return new SqliteStore(resolve(dir), lock, headFile, options.keys);
  } catch (error) {
    lock.release();
    throw damageOf(error, fileIn(dir));
  }
}

/** The same, but commits do not wait for the disk: to fill a store that is only there to be measured. */
export async function openUnsyncedSqliteStore(dir: string, keys?: readonly StoreKey[]): Promise<FillableStore> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = holdDirectory(dir);
  try {
    return new SqliteStore(resolve(dir), lock, undefined, keys);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What an error of SQLite means that says that the file is not as it was written; any other error as it is. */
function damageOf(error: unknown, file: string): unknown {
  if (primaryCodeOf(error) !== sqliteCorrupt) return error;
  const why = cutOff(file) ?? (error as Error).message;
  return new StoreDamaged(`The store ${file} is damaged: ${why}. ${restoreInstead}`, { cause: error });
}

/** The journal of a file of any version; empty where there is none. Reads only: a damaged store is left as it is. */
function lookAt(file: string, keys: readonly StoreKey[] | undefined): SqliteReader {
  if (existsSync(file)) {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      if (checkVersion(db, file) > 0) return new SqliteReader(db, sealingIn(db, keys, dirname(file)));
    } catch (error) {
      db.close();
      throw error;
    }
    db.close();
  }
  const nothing = new DatabaseSync(":memory:");
  migrate(nothing, file);
  return new SqliteReader(nothing, plain);
}

/** Opens the store in `dir` for questions only; works beside the writer, in another thread or process. */
export async function openSqliteReader(dir: string, keys?: readonly StoreKey[]): Promise<SqliteReader> {
  return openFile(fileIn(dir), keys);
}

/** A reader all of whose answers are of one moment, while the server goes on writing. */
export function openFrozenSqliteReader(dir: string, keys?: readonly StoreKey[]): SqliteReader {
  const db = openReadOnly(fileIn(dir));
  db.exec("BEGIN");
  db.prepare("SELECT max(seq) FROM journal").get(); // the moment is that of the first read
  return readerOf(db, dir, keys);
}

/** Opens one file that holds a store, for questions only. */
export function openFile(file: string, keys?: readonly StoreKey[]): SqliteReader {
  return readerOf(openReadOnly(file), dirname(file), keys);
}

function readerOf(db: DatabaseSync, place: string, keys: readonly StoreKey[] | undefined): SqliteReader {
  try {
    return new SqliteReader(db, sealingIn(db, keys, place));
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Has the store in `dir`, which must be empty, seal all that it will hold with this key. */
export async function sealEmptySqlite(dir: string, key: string): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = holdDirectory(dir);
  try {
    const db = openWritable(fileIn(dir));
    try {
      if (db.prepare("SELECT 1 FROM journal").get() !== undefined) throw new Error(holdsJournal);
      markSealed(db, key);
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
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
export async function fillFile(file: string, from: Source, sealing: Sealing): Promise<void> {
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    migrate(db, file);
    db.exec("BEGIN");
    if (sealing.by !== undefined) markSealed(db, sealing.by);
    await pour(from, fillingOf(new Inserts(db, sealing)));
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

function fillingOf(inserts: Inserts): Filling {
  return {
    rows: (rows) => rows.forEach((row) => void inserts.row(row)),
    projected: (projected) => inserts.projected(fieldsOf(projected)),
    privates: (writes) => inserts.privates(writes),
    snapshot: (snapshot) => inserts.snapshot(snapshot),
  };
}

/** A batch that was handed over; `committed` resolves when it is durable. */
interface Posted {
  readonly committed: Promise<void>;
}

/** A batch with fewer events is committed sooner than another thread would be awake. */
const handedOverMin = 1_000;

/** A stop need not wait longer than this for a reader; what it does not empty, the next start reads. */
const checkpointWaitMs = 1_000;

/**
 * Large batches are committed in a thread of their own: it seals, inserts and waits for the disk while the writer decides what
 * comes next, and batches that wait for it become durable together. Everything else is written here. Never both at once.
 */
class SqliteStore extends SqliteReader implements FillableStore {
  readonly #dir: string;
  readonly #lock: { release(): void };
  #db: DatabaseSync;
  #here: Transactions;
  #committer: Committer;
  readonly #reserve: Reserve;
  readonly #turns = new Turns();
  readonly #headFile: HeadFile | undefined;
  /** The head of the journal, once a row was appended here. */
  #last: JournalHead | undefined;
  /** The last batch that was handed over is durable, or failed. */
  #underway: Promise<void> | undefined;
  #stopped: CommitOutage | undefined;
  readonly #keys: readonly StoreKey[] | undefined;
  readonly #sealing: Sealing;

  /** Questions go through a connection of their own, so that they never see a transaction half-way. */
  constructor(
    dir: string,
    lock: { release(): void },
    headFile: HeadFile | undefined,
    keys: readonly StoreKey[] | undefined,
  ) {
    const file = fileIn(dir);
    const unsynced = headFile === undefined;
    const db = unsynced ? openUnsynced(file) : openWritable(file);
    const sealing = sealingIn(db, keys, dir);
    super(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }), sealing);
    this.#keys = keys;
    this.#sealing = sealing;
    this.#dir = dir;
    this.#lock = lock;
    this.#headFile = headFile;
    this.#db = db;
    this.#here = new Transactions(db, dir, sealing);
    this.#committer = new Committer({ dir, file, unsynced, keys });
    this.#reserve = new Reserve(dir);
  }

  append({ row: draft, projected, privates }: Batch): Promise<void> {
    const fields = fieldsOf(projected);
    if (draft.events.count >= handedOverMin) return this.#handOver({ row: draft, fields, privates });
    return this.#take(`batch ${draft.seq}`, async (what) => {
      const row = sealRow(draft, this.#last ?? (await this.head()));
      await this.#here.run(what, (inserts) => inserts.batch(row, fields, privates));
      this.#reached(headOf(row));
    });
  }

  /** The journal is durable up to here; noted before anyone is answered. */
  #reached(head: JournalHead): void {
    this.#last = head;
    this.#headFile?.note(head);
  }

  writeSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#take(`snapshot ${snapshot.seq}`, (what) =>
      this.#here.run(what, (inserts) => inserts.snapshot(snapshot)),
    );
  }

  writePrivates(privates: readonly PrivateWrite[]): Promise<void> {
    return this.#take("private rows", (what) => this.#here.run(what, (inserts) => inserts.privates(privates)));
  }

  replaceProjections(pages: AsyncIterable<Projected>): Promise<void> {
    return this.#take("rebuilt projections", (what) =>
      this.#here.run(what, async (inserts) => {
        for (const table of projections) this.#db.exec(`DELETE FROM ${table}`);
        for await (const page of pages) inserts.projected(fieldsOf(page));
      }),
    );
  }

  fill(from: WholeReader): Promise<void> {
    return this.#take("a restored journal", (what) =>
      this.#here
        .run(what, async (inserts) => {
          if ((await this.head()).seq > 0) throw new Error(holdsJournal);
          await pour(from, fillingOf(inserts));
        })
        .then(async () => this.#reached(await this.head())),
    );
  }

  /** Resolves when it is durable; the next may be handed over before. */
  async #handOver(work: Omit<CommitWork, "previous">): Promise<void> {
    return this.#settled(
      this.#turns.take(() => this.#post(work)),
      `batch ${work.row.seq}`,
    );
  }

  async #post(work: Omit<CommitWork, "previous">): Promise<Posted> {
    this.#mustGoOn(`batch ${work.row.seq}`);
    const previous = this.#underway === undefined ? (this.#last ?? (await this.head())) : undefined;
    return this.#follow(this.#committer.commit({ ...work, previous }));
  }

  /** Takes down where the journal ends; apart, so that what was posted is not kept until then. */
  #follow(commit: Promise<JournalHead>): Posted {
    const committed = commit.then((head) => this.#reached(head));
    const underway = committed
      .catch(() => {})
      .then(() => {
        if (this.#underway === underway) this.#underway = undefined;
      });
    this.#underway = underway;
    return { committed };
  }

  async #settled(posted: Promise<Posted>, what: string): Promise<void> {
    try {
      await (await posted).committed;
    } catch (error) {
      this.#fail(error, what);
    }
  }

  async freeBytes(): Promise<number | undefined> {
    const { bavail, bsize } = await statfs(this.#dir);
    return bavail * bsize - this.#reserve.owedBytes;
  }

  keepReserve(): Promise<void> {
    return this.#reserve.keep();
  }

  giveReserve(): Promise<boolean> {
    return this.#reserve.give();
  }

  reopen(): Promise<void> {
    return this.#turns.take(async () => {
      await this.#underway;
      const file = fileIn(this.#dir);
      await this.#committer.close();
      if (this.#db.isOpen) this.#db.close();
      this.#db = openWritable(file);
      this.#here = new Transactions(this.#db, this.#dir, this.#sealing);
      this.#committer = new Committer({ dir: this.#dir, file, unsynced: false, keys: this.#keys });
      this.#last = undefined;
      this.#stopped = undefined;
    });
  }

  /** Never calls: the lock is the process's own and ends only with it. */
  onLost(): void {}

  override async close(): Promise<void> {
    await this.#turns.done();
    await this.#underway;
    if (!this.#db.isOpen) return;
    await this.#committer.close();
    await super.close();
    this.#checkpoint();
    this.#db.close();
    this.#headFile?.close();
    this.#lock.release();
  }

  /** Moves all of the log into the store: a stopped store is one file, and no later damage to the log can shorten it. */
  #checkpoint(): void {
    try {
      this.#db.exec(`PRAGMA busy_timeout = ${checkpointWaitMs}; PRAGMA wal_checkpoint(TRUNCATE)`);
    } catch {
      // A reader is in the way, or the disk is full: the log stays, and the next start reads it.
    }
  }

  #take(what: string, commit: (what: string) => Promise<void>): Promise<void> {
    return this.#turns.take(async () => {
      await this.#underway;
      this.#mustGoOn(what);
      await commit(what).catch((error) => this.#fail(error, what));
    });
  }

  #mustGoOn(what: string): void {
    if (this.#stopped === undefined) return;
    const message = `${what} was not written: an earlier commit failed in ${this.#dir}`;
    throw new CommitOutage(message, true, this.#stopped, this.#stopped.full);
  }

  #fail(error: unknown, what: string): never {
    const outage = error instanceof CommitOutage ? error : outageOf(error, what, this.#dir, true);
    if (!outage.known) this.#stopped = outage;
    throw outage;
  }
}
