import type { ClientBase } from "pg";
import { bookLength } from "../book-length.ts";
import { neverStarted, orderIndexes } from "../job-indexes.ts";
import { isForbidden, nameOf } from "./connect.ts";
import type { Queryable } from "./reader.ts";

/**
 * The steps from an empty schema to today's tables. A step that has been released is never edited: add one below.
 * Text is compared byte by byte everywhere, so that paths and ids are ordered alike in every database.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE tessera.journal (
    seq bigint PRIMARY KEY,
    at bigint NOT NULL,
    op text COLLATE "C" NOT NULL UNIQUE,
    epoch bigint NOT NULL,
    event_count bigint NOT NULL,
    events_before bigint NOT NULL,
    salt bytea NOT NULL,
    root bytea NOT NULL,
    hash bytea NOT NULL,
    inputs bytea NOT NULL,
    events bytea NOT NULL
  );
  CREATE FUNCTION tessera.refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE last tessera.journal;
  BEGIN
    SELECT * INTO last FROM tessera.journal ORDER BY seq DESC LIMIT 1;
    IF NEW.seq <> coalesce(last.seq, 0) + 1
       OR NEW.events_before <> coalesce(last.events_before + last.event_count, 0) THEN
      RAISE EXCEPTION 'the journal is gapless: this is not the row after the last';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER journal_is_gapless BEFORE INSERT ON tessera.journal
    FOR EACH ROW EXECUTE FUNCTION tessera.refuse_gap();
  CREATE FUNCTION tessera.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$;
  CREATE TRIGGER journal_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tessera.journal
    FOR EACH STATEMENT EXECUTE FUNCTION tessera.refuse_change();

  CREATE TABLE tessera.snapshot (seq bigint PRIMARY KEY, schema bigint NOT NULL, hash bytea NOT NULL);
  CREATE TABLE tessera.snapshot_part (
    seq bigint NOT NULL REFERENCES tessera.snapshot ON DELETE CASCADE,
    part integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (seq, part)
  );
  ALTER TABLE tessera.snapshot_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

  CREATE TABLE tessera.ended_job (
    id text COLLATE "C" PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    array_id text COLLATE "C",
    submitted_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    exit_code bigint,
    doc text NOT NULL
  );
  CREATE INDEX ended_job_by_time ON tessera.ended_job (submitted_at, id, outcome);
  CREATE INDEX ended_job_by_user ON tessera.ended_job (user_id, submitted_at, id);
  CREATE INDEX ended_job_by_name ON tessera.ended_job (name, (account || '/'));
  CREATE INDEX ended_job_by_array ON tessera.ended_job (array_id, submitted_at, id) WHERE array_id IS NOT NULL;
  CREATE TABLE tessera.ended_job_under (
    ancestor text COLLATE "C" NOT NULL,
    submitted_at bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    PRIMARY KEY (ancestor, submitted_at, id) INCLUDE (outcome)
  );

  CREATE TABLE tessera.usage (
    row_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lease text COLLATE "C" NOT NULL,
    job text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    gpu text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    units bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    class text COLLATE "C" NOT NULL,
    from_at bigint NOT NULL,
    to_at bigint NOT NULL CHECK (to_at >= from_at),
    span integer NOT NULL
  );
  CREATE INDEX usage_by_time ON tessera.usage (span, to_at, from_at);
  CREATE INDEX usage_by_tenant ON tessera.usage (tenant, span, to_at, from_at);

  CREATE TABLE tessera.device (
    gpu text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    seq bigint NOT NULL,
    node text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    capacity_units bigint NOT NULL,
    free_units bigint NOT NULL,
    mode text COLLATE "C" NOT NULL,
    PRIMARY KEY (gpu, at, seq)
  );

  CREATE TABLE tessera.audit (
    seq bigint NOT NULL,
    idx bigint NOT NULL,
    at bigint NOT NULL,
    actor text COLLATE "C" NOT NULL,
    token text COLLATE "C",
    request text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (seq, idx)
  );
  CREATE INDEX audit_by_actor ON tessera.audit (actor, seq, idx, at);
  CREATE INDEX audit_by_action ON tessera.audit (action, seq, idx, at);
  CREATE TABLE tessera.audit_under (
    ancestor text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    idx bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (ancestor, seq, idx) INCLUDE (at)
  );

  CREATE TABLE tessera.private (
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (kind, key)
  );
  `,
  `
  CREATE TABLE tessera.book (
    seq bigint NOT NULL,
    idx bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    from_at bigint NOT NULL,
    to_at bigint NOT NULL CHECK (to_at >= from_at),
    doc text NOT NULL,
    PRIMARY KEY (seq, idx)
  );
  CREATE INDEX book_by_tenant ON tessera.book (kind, tenant, to_at);
  CREATE INDEX book_by_key ON tessera.book (kind, key);
  `,
  `
  CREATE INDEX book_by_time ON tessera.book (kind, to_at, from_at);
  `,
  // Devices have one more state than before: without books the next start rebuilds all projections.
  "DELETE FROM tessera.book;",
  "ALTER TABLE tessera.private ADD COLUMN digest bytea;",
  `ALTER TABLE tessera.audit ADD COLUMN origin text COLLATE "C", ADD COLUMN count bigint;`,
  `
  CREATE INDEX audit_by_target ON tessera.audit (target, seq, idx);
  CREATE INDEX audit_by_origin ON tessera.audit (origin, seq, idx) WHERE origin IS NOT NULL;
  CREATE INDEX audit_by_outcome ON tessera.audit (outcome, seq, idx) WHERE outcome <> 'ok';
  `,
  `CREATE TABLE tessera.sealing (single boolean PRIMARY KEY CHECK (single), key text COLLATE "C" NOT NULL);`,
  `CREATE INDEX book_by_length ON tessera.book (kind, (${bookLength}), to_at, from_at);`,
  // What jobs are sorted by. Documents that are sealed tell nothing here: without books the next start rebuilds all.
  `
  ALTER TABLE tessera.ended_job
    ADD COLUMN gpus bigint NOT NULL DEFAULT 0,
    ADD COLUMN priority bigint NOT NULL DEFAULT 0,
    ADD COLUMN started_at bigint,
    ADD COLUMN ran_until bigint NOT NULL DEFAULT 0;
  UPDATE tessera.ended_job SET
    gpus = coalesce((doc::jsonb ->> 'gpus')::bigint, 0),
    priority = coalesce((doc::jsonb ->> 'priority')::bigint, 0),
    started_at = (extract(epoch FROM (doc::jsonb ->> 'startedAt')::timestamptz) * 1000)::bigint,
    ran_until = coalesce((extract(epoch FROM (doc::jsonb ->> 'endedAt')::timestamptz) * 1000)::bigint, ended_at)
    WHERE NOT EXISTS (SELECT FROM tessera.sealing);
  DELETE FROM tessera.book WHERE EXISTS (SELECT FROM tessera.sealing);
  ALTER TABLE tessera.ended_job
    ADD COLUMN started_key bigint GENERATED ALWAYS AS (coalesce(started_at, ${neverStarted})) STORED,
    ADD COLUMN waited_ms bigint GENERATED ALWAYS AS (coalesce(started_at, ran_until) - submitted_at) STORED,
    ADD COLUMN ran_ms bigint GENERATED ALWAYS AS (ran_until - coalesce(started_at, ran_until)) STORED;
  DROP INDEX tessera.ended_job_by_user;
  CREATE INDEX ended_job_tops ON tessera.ended_job (submitted_at, id, outcome) WHERE array_id IS NULL;
  CREATE INDEX ended_job_order_user_id ON tessera.ended_job (user_id, submitted_at, id, outcome) WHERE array_id IS NULL;
  ${orderIndexes("tessera.ended_job")}
  ALTER TABLE tessera.ended_job_under ADD COLUMN element bigint NOT NULL DEFAULT 0;
  UPDATE tessera.ended_job_under u SET element = 1
    FROM tessera.ended_job j WHERE j.id = u.id AND j.array_id IS NOT NULL;
  CREATE INDEX ended_job_under_tops ON tessera.ended_job_under (ancestor, submitted_at, id) INCLUDE (outcome)
    WHERE element = 0;
  `,
];

export const schemaVersion = steps.length;

/** One key of the advisory locks of a database: "Tess" in ASCII. */
const migrationLock = 0x54657373;

/**
 * Makes what must exist before anyone can hold the store: the number of the schema, and the two rows of the lease. The
 * fence changes only at a take-over and is locked by every write; the beat is renewed all the time. In one row, the
 * holder's renewals would wait for its own writes.
 */
export async function prepareLease(client: ClientBase, url: string): Promise<void> {
  const there = await client.query("SELECT to_regclass('tessera.beat') IS NOT NULL AS found");
  if (there.rows[0].found) return void (await checkVersion(client, url)); // a role that only writes could not make it
  await underLock(client, async () => {
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS tessera;
      CREATE TABLE IF NOT EXISTS tessera.schema_version (single boolean PRIMARY KEY CHECK (single), version integer NOT NULL);
      CREATE TABLE IF NOT EXISTS tessera.fence (
        name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL
      );
      CREATE TABLE IF NOT EXISTS tessera.beat (
        name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, fence bigint NOT NULL, expires_at timestamptz NOT NULL
      );
      INSERT INTO tessera.schema_version VALUES (true, 0) ON CONFLICT DO NOTHING;
      INSERT INTO tessera.fence VALUES ('writer', '', 0) ON CONFLICT DO NOTHING;
      INSERT INTO tessera.beat VALUES ('writer', '', 0, 'epoch') ON CONFLICT DO NOTHING;
    `);
    await checkVersion(client, url);
  });
}

/** Brings the tables up to today's version. Only the holder of the lease may call it. */
export async function migrate(client: ClientBase, url: string): Promise<void> {
  await underLock(client, async () => {
    const version = await checkVersion(client, url);
    for (const step of steps.slice(version)) {
      await client.query(step).catch((cause) => {
        throw isForbidden(cause) ? new Error(onlyOwner(url), { cause }) : cause;
      });
    }
    if (version < schemaVersion) await client.query("UPDATE tessera.schema_version SET version = $1", [schemaVersion]);
  });
}

function onlyOwner(url: string): string {
  return (
    `The tables in ${nameOf(url)} are of an older version, and the role that the server connects with may not change ` +
    "them: run tess admin postgres-setup --database URL as their owner, then start the server again."
  );
}

/** The version of the tables; refuses what a newer Tessera has written. */
export async function checkVersion(client: Queryable, url: string): Promise<number> {
  const { rows } = await client.query("SELECT version FROM tessera.schema_version");
  const version: number = rows[0]?.version ?? 0;
  if (version > schemaVersion) {
    throw new Error(
      `The database ${nameOf(url)} was written by a newer Tessera (schema ${version}; this one knows up to ` +
        `${schemaVersion}). Start the newer version, or restore a backup made by this one into an empty database.`,
    );
  }
  return version;
}

/** Runs `act` in one transaction that only one process at a time can be in, and gives up when it would wait long. */
async function underLock(client: ClientBase, act: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SET LOCAL lock_timeout = '10s'");
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    await act();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // the connection may be what failed; the first error says more
    throw error;
  }
}
