import type { DatabaseSync } from "node:sqlite";
import { bookLength } from "../book-length.ts";
import { neverStarted, orderIndexes } from "../job-indexes.ts";
import { primaryCodeOf, sqliteNotADatabase } from "./codes.ts";

/** Marks the file as one of ours ("Tess" in ASCII), so that some other SQLite file is not taken for a store. */
export const applicationId = 0x54657373;

/**
 * The steps from an empty file to today's tables. A step that has been released is never edited: add one below.
 * Large columns stand last, so that reading the others does not walk through their pages.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    op TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    event_count INTEGER NOT NULL,
    events_before INTEGER NOT NULL,
    salt BLOB NOT NULL,
    root BLOB NOT NULL,
    hash BLOB NOT NULL,
    inputs BLOB NOT NULL,
    events BLOB NOT NULL
  ) STRICT;
  CREATE TRIGGER journal_is_gapless BEFORE INSERT ON journal
  WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM journal), 0)
    OR NEW.events_before <> coalesce((SELECT events_before + event_count FROM journal ORDER BY seq DESC LIMIT 1), 0)
  BEGIN SELECT raise(ABORT, 'the journal is gapless: this is not the row after the last'); END;
  CREATE TRIGGER journal_is_not_updated BEFORE UPDATE ON journal
  BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER journal_is_not_deleted BEFORE DELETE ON journal
  BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;

  CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, schema INTEGER NOT NULL, hash BLOB NOT NULL, bytes BLOB NOT NULL) STRICT;

  CREATE TABLE ended_job (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    array_id TEXT,
    submitted_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    exit_code INTEGER,
    doc TEXT NOT NULL
  ) STRICT;
  CREATE INDEX ended_job_by_time ON ended_job (submitted_at, id, outcome);
  CREATE INDEX ended_job_by_user ON ended_job (user_id, submitted_at, id);
  CREATE INDEX ended_job_by_name ON ended_job (name, account || '/');
  CREATE INDEX ended_job_by_array ON ended_job (array_id, submitted_at, id) WHERE array_id IS NOT NULL;
  CREATE TABLE ended_job_under (
    ancestor TEXT NOT NULL,
    submitted_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (ancestor, submitted_at, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage (
    lease TEXT NOT NULL,
    job TEXT NOT NULL,
    account TEXT NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    node TEXT NOT NULL,
    gpu TEXT NOT NULL,
    model TEXT NOT NULL,
    units INTEGER NOT NULL,
    state TEXT NOT NULL,
    class TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL CHECK (to_at >= from_at),
    span INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX usage_by_time ON usage (span, to_at, from_at);
  CREATE INDEX usage_by_tenant ON usage (tenant, span, to_at, from_at);

  CREATE TABLE device (
    gpu TEXT NOT NULL,
    at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    node TEXT NOT NULL,
    model TEXT NOT NULL,
    capacity_units INTEGER NOT NULL,
    free_units INTEGER NOT NULL,
    mode TEXT NOT NULL,
    PRIMARY KEY (gpu, at, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    seq INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    token TEXT,
    request TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    account TEXT NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (seq, idx)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX audit_by_actor ON audit (actor, seq, idx, at);
  CREATE INDEX audit_by_action ON audit (action, seq, idx, at);
  CREATE TABLE audit_under (
    ancestor TEXT NOT NULL,
    seq INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (ancestor, seq, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE private (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE book (
    seq INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    tenant TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL CHECK (to_at >= from_at),
    doc TEXT NOT NULL,
    PRIMARY KEY (seq, idx)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX book_by_tenant ON book (kind, tenant, to_at);
  CREATE INDEX book_by_key ON book (kind, key);
  `,
  `
  CREATE INDEX book_by_time ON book (kind, to_at, from_at);
  `,
  // Devices have one more state than before: without books the next start rebuilds all projections.
  "DELETE FROM book;",
  "ALTER TABLE private ADD COLUMN digest BLOB;",
  "ALTER TABLE audit ADD COLUMN origin TEXT; ALTER TABLE audit ADD COLUMN count INTEGER;",
  `
  CREATE INDEX audit_by_target ON audit (target, seq, idx);
  CREATE INDEX audit_by_origin ON audit (origin, seq, idx) WHERE origin IS NOT NULL;
  CREATE INDEX audit_by_outcome ON audit (outcome, seq, idx) WHERE outcome <> 'ok';
  `,
  "CREATE TABLE sealing (single INTEGER PRIMARY KEY CHECK (single = 1), key TEXT NOT NULL) STRICT;",
  `CREATE INDEX book_by_length ON book (kind, (${bookLength}), to_at, from_at);`,
  // What jobs are sorted by. Documents that are sealed tell nothing here: without books the next start rebuilds all.
  `
  ALTER TABLE ended_job ADD COLUMN gpus INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ended_job ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ended_job ADD COLUMN started_at INTEGER;
  ALTER TABLE ended_job ADD COLUMN ran_until INTEGER NOT NULL DEFAULT 0;
  UPDATE ended_job SET
    gpus = coalesce(json_extract(doc, '$.gpus'), 0),
    priority = coalesce(json_extract(doc, '$.priority'), 0),
    started_at = CAST(round(unixepoch(json_extract(doc, '$.startedAt'), 'subsec') * 1000) AS INTEGER),
    ran_until = coalesce(CAST(round(unixepoch(json_extract(doc, '$.endedAt'), 'subsec') * 1000) AS INTEGER), ended_at)
    WHERE NOT EXISTS (SELECT 1 FROM sealing);
  DELETE FROM book WHERE EXISTS (SELECT 1 FROM sealing);
  ALTER TABLE ended_job ADD COLUMN started_key INTEGER
    GENERATED ALWAYS AS (coalesce(started_at, ${neverStarted})) VIRTUAL;
  ALTER TABLE ended_job ADD COLUMN waited_ms INTEGER
    GENERATED ALWAYS AS (coalesce(started_at, ran_until) - submitted_at) VIRTUAL;
  ALTER TABLE ended_job ADD COLUMN ran_ms INTEGER
    GENERATED ALWAYS AS (ran_until - coalesce(started_at, ran_until)) VIRTUAL;
  DROP INDEX ended_job_by_user;
  CREATE INDEX ended_job_tops ON ended_job (submitted_at, id, outcome) WHERE array_id IS NULL;
  CREATE INDEX ended_job_order_user_id ON ended_job (user_id, submitted_at, id, outcome) WHERE array_id IS NULL;
  ${orderIndexes("ended_job")}
  ALTER TABLE ended_job_under ADD COLUMN element INTEGER NOT NULL DEFAULT 0;
  UPDATE ended_job_under SET element = 1 WHERE id IN (SELECT id FROM ended_job WHERE array_id IS NOT NULL);
  `,
];

export const schemaVersion = steps.length;

/** Brings the tables of `db` up to today's version. Only the holder of the store may call it. */
export function migrate(db: DatabaseSync, file: string): void {
  const version = checkVersion(db, file);
  for (let next = version; next < schemaVersion; next++) {
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(steps[next]!);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${next + 1}`);
      db.exec("COMMIT");
    } catch (cause) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw new Error(`${file}: step ${next + 1} of the schema failed; the file is as it was before`, { cause });
    }
  }
}

/** The version of the tables in `db`; refuses what is not ours or was written by a newer Tessera. */
export function checkVersion(db: DatabaseSync, file: string): number {
  const id = applicationIdOf(db, file);
  const version = pragma(db, "user_version");
  const tables = Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!.n);
  if (id !== applicationId && (version !== 0 || tables !== 0)) {
    throw new Error(`${file} is an SQLite file, but not a Tessera store; name another directory`);
  }
  if (version > schemaVersion) {
    throw new Error(
      `${file} was written by a newer Tessera (schema ${version}; this one knows up to ${schemaVersion}). ` +
        "Start the newer version, or restore a backup made by this one into an empty directory.",
    );
  }
  return version;
}

function applicationIdOf(db: DatabaseSync, file: string): number {
  try {
    return pragma(db, "application_id");
  } catch (cause) {
    if (primaryCodeOf(cause) !== sqliteNotADatabase) throw cause;
    throw new Error(`${file} is not a Tessera store: it is not even an SQLite file`, { cause });
  }
}

function pragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()![name]);
}
