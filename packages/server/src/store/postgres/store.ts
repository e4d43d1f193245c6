import pg from "pg";
import type { JournalHead } from "../../journal/format.ts";
import { headOf, sealRow } from "../../journal/row.ts";
import { type FillableStore, pour, type WholeReader } from "../contents.ts";
import { openHeadFile } from "../head/compare.ts";
import type { HeadFile } from "../head/head-file.ts";
import {
  type Batch,
  CommitOutage,
  type OpenOptions,
  type PrivateWrite,
  type Projected,
  type Snapshot,
  snapshotsKept,
} from "../port.ts";
import type { StoreKey } from "../seal/keys.ts";
import { type Sealing, sealingOf } from "../seal/sealing.ts";
import { Turns } from "../turns.ts";
import { connect, messageOf, nameOf, poolFor } from "./connect.ts";
import { Lease } from "./lease.ts";
import { PostgresReader, type Queryable } from "./reader.ts";
import { checkVersion, migrate, prepareLease, schemaVersion } from "./schema.ts";
import { emptyPart, guarded, type Part, privateParts, projectedParts, rowsPart, sealingPart } from "./write.ts";

export interface PostgresConfig {
  readonly url: string;
  /** How long the right to write lasts without a renewal; 12 seconds. */
  readonly leaseMs?: number;
  /** How long to wait for another server to give it up or lose it; twice `leaseMs`. */
  readonly waitMs?: number;
  /** A file of this machine in which the head of the journal is noted; none is kept without. */
  readonly headFile?: string;
}

const projections = ["ended_job", "ended_job_under", "usage", "device", "audit", "audit_under", "book"];
// One value may hold 1 GB in PostgreSQL, and is held in memory several times on its way.
const snapshotPartBytes = 8 * 1024 * 1024;

/**
 * Opens the store for the one writer. Throws StoreHeld when another server keeps it for longer than `waitMs`, and
 * StoreDamaged when it lacks rows that were written from this machine.
 */
export async function openPostgresStore(config: PostgresConfig, options: OpenOptions = {}): Promise<PostgresStore> {
  const { url, leaseMs = 12_000, waitMs = 2 * leaseMs } = config;
  const client = await connectWriter(url, leaseMs);
  const { keys } = options;
  let lease: Lease | undefined;
  try {
    await prepareLease(client, url);
    lease = await Lease.take(url, { leaseMs, waitMs });
    await migrate(client, url);
    const headFile = await openOwnHeadFile(config, options);
    const sealing = await sealingIn(client, keys, url);
    return new PostgresStore(url, leaseMs, client, lease, poolFor(url), headFile, sealing);
  } catch (error) {
    await lease?.resign();
    await client.end();
    throw error;
  }
}

/** Another server may have written since: the file of this machine lags then, and the store is ahead of it. */
async function openOwnHeadFile({ url, headFile }: PostgresConfig, options: OpenOptions): Promise<HeadFile | undefined> {
  if (headFile === undefined) return undefined;
  const rows = await openPostgresReader(url, options.keys);
  return openHeadFile(headFile, nameOf(url), rows, options).finally(() => rows.close());
}

/** Opens the store for questions only; works beside the writer, from anywhere. */
export async function openPostgresReader(url: string, keys?: readonly StoreKey[]): Promise<PostgresReader> {
  const pool = poolFor(url);
  try {
    await mustBeToday(pool, url);
    return new PostgresReader(pool, await sealingIn(pool, keys, url), () => pool.end());
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** A reader all of whose answers are of one moment, while the server goes on writing. */
export async function openFrozenPostgresReader(url: string, keys?: readonly StoreKey[]): Promise<PostgresReader> {
  const client = await connect(url, "frozen reader");
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await mustBeToday(client, url); // the moment is that of the first read
    return new PostgresReader(client, await sealingIn(client, keys, url), () => client.end());
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function sealingIn(source: Queryable, keys: readonly StoreKey[] | undefined, url: string): Promise<Sealing> {
  const { rows } = await source.query("SELECT key FROM tessera.sealing");
  return sealingOf(rows[0]?.key, keys, nameOf(url));
}

/** Has the store, which must be empty, seal all that it will hold with this key. */
export async function sealEmptyPostgres(config: PostgresConfig, options: OpenOptions, key: string): Promise<void> {
  const store = await openPostgresStore(config, options);
  try {
    await store.sealEmpty(key);
  } finally {
    await store.close();
  }
}

async function mustBeToday(source: Queryable, url: string): Promise<void> {
  const there = await source.query("SELECT to_regclass('tessera.schema_version') IS NOT NULL AS found");
  if (!there.rows[0].found || (await checkVersion(source, url)) < schemaVersion) {
    throw new Error(
      `There is no store of this version in ${nameOf(url)}: start the server once, or name its database.`,
    );
  }
}

async function connectWriter(url: string, leaseMs: number): Promise<pg.Client> {
  const client = await connect(url, "writer");
  // A writer that stands still inside a transaction must not keep the next one waiting for longer than its lease.
  await client.query(`SET idle_in_transaction_session_timeout = ${Math.ceil(leaseMs)}`);
  await client.query("SET synchronous_commit = on");
  return client;
}

export class PostgresStore extends PostgresReader implements FillableStore {
  readonly #url: string;
  readonly #leaseMs: number;
  readonly #lease: Lease;
  readonly #turns = new Turns();
  /** The head of the journal, once a row was appended here: no other process appends while the lease is held. */
  #last: JournalHead | undefined;
  readonly #headFile: HeadFile | undefined;
  readonly #sealing: Sealing;
  #client: pg.Client;
  #broken = false;
  #stopped: CommitOutage | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    url: string,
    leaseMs: number,
    client: pg.Client,
    lease: Lease,
    pool: pg.Pool,
    headFile: HeadFile | undefined,
    sealing: Sealing,
  ) {
    super(pool, sealing, () => pool.end());
    this.#sealing = sealing;
    this.#headFile = headFile;
    this.#url = url;
    this.#leaseMs = leaseMs;
    this.#client = client;
    this.#lease = lease;
    this.#watch(client);
    // Whatever is under way then is unknown; cutting the connection ends the wait for it.
    lease.onLost(() => this.#client.end().catch(() => {}));
  }

  append({ row: draft, projected, privates }: Batch): Promise<void> {
    const parts = [...projectedParts(projected, this.#sealing), ...privateParts(privates, this.#sealing)];
    return this.#turns.take(async () => {
      const what = `batch ${draft.seq}`;
      const row = sealRow(draft, await this.#previous(what));
      await this.#write(what, [rowsPart([this.#sealing.row(row)]), ...parts]);
      this.#last = headOf(row);
      this.#headFile?.note(this.#last); // before anyone is answered
    });
  }

  writePrivates(writes: readonly PrivateWrite[]): Promise<void> {
    return this.#turns.take(() => this.#write("private rows", privateParts(writes, this.#sealing)));
  }

  writeSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#transact(`snapshot ${snapshot.seq}`, (write) =>
      writeSnapshot(write, this.#sealing.snapshot(snapshot)),
    );
  }

  replaceProjections(pages: AsyncIterable<Projected>): Promise<void> {
    return this.#transact("rebuilt projections", async (write) => {
      await write(...projections.map(emptyPart));
      for await (const page of pages) await write(...projectedParts(page, this.#sealing));
    });
  }

  async fill(from: WholeReader): Promise<void> {
    await this.#transact("a restored journal", async (write) => {
      await this.#mustBeEmpty();
      const sealing = this.#sealing;
      await pour(from, {
        rows: (rows) => write(rowsPart(rows.map((row) => sealing.row(row)))),
        projected: (projected) => write(...projectedParts(projected, sealing)),
        privates: (writes) => write(...privateParts(writes, sealing)),
        snapshot: (snapshot) => writeSnapshot(write, sealing.snapshot(snapshot)),
      });
    });
    this.#headFile?.note(await this.head());
  }

  /** The key counts from the next time on that the store is opened. */
  async sealEmpty(key: string): Promise<void> {
    await this.#transact("the key of the journal", async (write) => {
      await this.#mustBeEmpty();
      await write(emptyPart("sealing"));
      await write(sealingPart(key));
    });
  }

  async #mustBeEmpty(): Promise<void> {
    if ((await this.head()).seq > 0) throw new Error("it holds a journal already; restore into an empty database");
  }

  async freeBytes(): Promise<number | undefined> {
    return undefined;
  }

  /** The room is that of the database server. */
  async keepReserve(): Promise<void> {}

  async giveReserve(): Promise<boolean> {
    return false;
  }

  reopen(): Promise<void> {
    return this.#turns.take(async () => {
      await this.#client.end().catch(() => {});
      this.#broken = true;
      this.#stopped = undefined;
      this.#last = undefined;
    });
  }

  onLost(listener: (reason: string) => void): void {
    this.#lease.onLost(listener);
  }

  override close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#turns.done();
      this.#headFile?.close();
      await this.#lease.resign();
      await this.#client.end().catch(() => {});
      await super.close();
    })();
    return this.#closing;
  }

  /** The head to chain the next row to. */
  async #previous(what: string): Promise<JournalHead> {
    await this.#ready(what);
    try {
      return this.#last ?? (await this.head());
    } catch (cause) {
      throw this.#outage(what, cause, true);
    }
  }

  /** Writes the parts in one statement, which is a transaction of its own. Only in its turn. */
  async #write(what: string, parts: readonly Part[]): Promise<void> {
    const client = await this.#ready(what);
    try {
      this.#mustHold(await client.query(guarded(this.#lease, parts)));
    } catch (cause) {
      throw this.#outage(what, cause, surelyRolledBack(cause));
    }
  }

  /** Writes in several statements of one transaction. */
  #transact(what: string, act: (write: Write) => Promise<void>): Promise<void> {
    return this.#turns.take(async () => {
      const client = await this.#ready(what);
      let committing = false;
      try {
        await client.query("BEGIN");
        await act(async (...parts) => {
          if (parts.length > 0) this.#mustHold(await client.query(guarded(this.#lease, parts)));
        });
        committing = true;
        await client.query("COMMIT");
      } catch (cause) {
        await client.query("ROLLBACK").catch(() => {}); // the connection may be what failed, which rolls back as well
        throw this.#outage(what, cause, !committing || surelyRolledBack(cause));
      }
    });
  }

  #mustHold(answer: pg.QueryResult): void {
    if (answer.rows.length === 1) return;
    this.#lease.lose("another server has taken it over");
    throw new LeaseLost("the lease is held by another server now");
  }

  /** A connection to write with. One that broke while nothing was under way is replaced. */
  async #ready(what: string): Promise<pg.Client> {
    if (this.#stopped !== undefined) {
      const { full } = this.#stopped;
      throw new CommitOutage(`${what} was not written: an earlier commit failed`, true, this.#stopped, full);
    }
    if (!this.#lease.held) {
      this.#lease.lose("it was not renewed in time");
      throw new CommitOutage(`${what} was not written: the lease on ${nameOf(this.#url)} is lost`, true, undefined);
    }
    if (!this.#broken) return this.#client;
    try {
      this.#client = await connectWriter(this.#url, this.#leaseMs);
    } catch (cause) {
      throw this.#outage(what, cause, true);
    }
    this.#watch(this.#client);
    return this.#client;
  }

  #watch(client: pg.Client): void {
    this.#broken = false;
    client.once("end", () => {
      if (client === this.#client) this.#broken = true;
    });
  }

  #outage(what: string, cause: unknown, known: boolean): CommitOutage {
    const result = known
      ? "nothing of it was kept"
      : "whether it was kept is unknown until it is looked up by its operation id";
    const message = `Writing ${what} to ${nameOf(this.#url)} failed, ${result}: ${messageOf(cause)}`;
    const outage = new CommitOutage(message, known, cause, isFull(cause));
    if (!known) this.#stopped = outage;
    return outage;
  }
}

const diskFull = "53100";

function isFull(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && cause.code === diskFull;
}

/** Writes parts as one statement of a transaction. */
type Write = (...parts: readonly Part[]) => Promise<void>;

async function writeSnapshot(write: Write, { seq, schema, hash, bytes }: Snapshot): Promise<void> {
  await write(snapshotGone(seq));
  await write(snapshotHead(seq, schema, hash));
  for (let from = 0, part = 0; from < bytes.length; from += snapshotPartBytes, part++) {
    await write(snapshotPart(seq, part, bytes.subarray(from, from + snapshotPartBytes)));
  }
  await write(otherSnapshotsGone(seq));
}

/** The guard found the fence changed. */
class LeaseLost extends Error {}

/**
 * Whether a failed statement surely left nothing behind: the server said so itself. When the connection went away, or
 * the server ended it (FATAL), the commit may have come first.
 */
function surelyRolledBack(cause: unknown): boolean {
  return cause instanceof LeaseLost || (cause instanceof pg.DatabaseError && cause.severity === "ERROR");
}

function snapshotHead(seq: number, schema: number, hash: Uint8Array): Part {
  return {
    name: "snapshot_head",
    values: [seq, schema, Buffer.from(hash)],
    text: (mark) =>
      `INSERT INTO tessera.snapshot (seq, schema, hash) SELECT ${mark()}::int8, ${mark()}::int8, ${mark()}::bytea FROM held`,
  };
}

function snapshotPart(seq: number, part: number, bytes: Uint8Array): Part {
  return {
    name: "snapshot_part",
    values: [seq, part, Buffer.from(bytes)],
    text: (mark) =>
      `INSERT INTO tessera.snapshot_part (seq, part, bytes)
       SELECT ${mark()}::int8, ${mark()}::int4, ${mark()}::bytea FROM held`,
  };
}

function snapshotGone(seq: number): Part {
  return {
    name: "snapshot_gone",
    values: [seq],
    text: (mark) => `DELETE FROM tessera.snapshot WHERE seq = ${mark()}::int8 AND EXISTS (SELECT FROM held)`,
  };
}

/** The one before the newest stays, should the newest turn out to be unreadable. A later one is not of this journal. */
function otherSnapshotsGone(seq: number): Part {
  return {
    name: "other_snapshots_gone",
    values: [seq, seq],
    text: (mark) =>
      `DELETE FROM tessera.snapshot WHERE EXISTS (SELECT FROM held) AND (seq > ${mark()}::int8
       OR seq NOT IN (SELECT seq FROM tessera.snapshot WHERE seq <= ${mark()}::int8 ORDER BY seq DESC LIMIT ${snapshotsKept}))`,
  };
}
