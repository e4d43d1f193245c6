import type { DatabaseSync, StatementSync } from "node:sqlite";
import { auditColumns, bookColumns, deviceColumns, jobColumns, journalColumns } from "../columns.ts";
import { ancestorsOf, tenantOf } from "../paths.ts";
import type { JournalRow, PrivateWrite, Projected, Snapshot } from "../port.ts";
import { asStored } from "../stored.ts";
import { storable } from "../text.ts";
import { spanOf } from "../usage-span.ts";

/** The prepared statements that write; each is called inside a transaction. */
export class Inserts {
  readonly #journal: StatementSync;
  readonly #job: StatementSync;
  readonly #jobUnder: StatementSync;
  readonly #usage: StatementSync;
  readonly #device: StatementSync;
  readonly #audit: StatementSync;
  readonly #auditUnder: StatementSync;
  readonly #book: StatementSync;
  readonly #private: StatementSync;
  readonly #privateGone: StatementSync;
  readonly #snapshot: StatementSync;
  readonly #snapshotsGone: StatementSync;

  constructor(db: DatabaseSync) {
    this.#journal = insertInto(db, "journal", journalColumns);
    this.#job = insertInto(db, "ended_job", jobColumns);
    this.#jobUnder = insertInto(db, "ended_job_under", "ancestor, submitted_at, id, outcome");
    this.#usage = insertInto(
      db,
      "usage",
      "lease, job, account, tenant, user_id, node, gpu, model, units, state, class, from_at, to_at, span",
    );
    this.#device = insertInto(db, "device", deviceColumns, "OR REPLACE");
    this.#audit = insertInto(db, "audit", auditColumns);
    this.#auditUnder = insertInto(db, "audit_under", "ancestor, seq, idx, at");
    this.#book = insertInto(db, "book", bookColumns);
    this.#private = insertInto(db, "private", "kind, key, value", "OR REPLACE");
    this.#privateGone = db.prepare("DELETE FROM private WHERE kind = ? AND key = ?");
    this.#snapshot = insertInto(db, "snapshot", "seq, schema, hash, bytes", "OR REPLACE");
    // The one before the newest stays, should the newest turn out to be unreadable.
    this.#snapshotsGone = db.prepare(
      "DELETE FROM snapshot WHERE seq NOT IN (SELECT seq FROM snapshot ORDER BY seq DESC LIMIT 2)",
    );
  }

  row(row: JournalRow): void {
    this.#journal.run(
      row.seq,
      row.at,
      row.op,
      row.epoch,
      row.inputs,
      row.events,
      row.eventCount,
      row.eventsBefore,
      row.salt,
      row.root,
      row.hash,
    );
  }

  projected(projected: Projected): void {
    const { jobs, usage, devices, audit, books } = asStored(projected);
    for (const job of jobs) {
      this.#job.run(
        ...[job.id, job.account, job.user, job.name, job.arrayId],
        ...[job.submittedAt, job.endedAt, job.outcome, job.exitCode, job.doc],
      );
      for (const above of ancestorsOf(job.account)) {
        this.#jobUnder.run(above, job.submittedAt, job.id, job.outcome);
      }
    }
    for (const use of usage) {
      this.#usage.run(
        ...[use.lease, use.job, use.account, tenantOf(use.account), use.user, use.node, use.gpu, use.model],
        ...[use.units, use.state, use.class, use.fromAt, use.toAt, spanOf(use.fromAt, use.toAt)],
      );
    }
    for (const device of devices) {
      this.#device.run(
        ...[device.gpu, device.node, device.model, device.at, device.seq],
        ...[device.capacityUnits, device.freeUnits, device.mode],
      );
    }
    for (const entry of audit) {
      this.#audit.run(
        ...[entry.seq, entry.index, entry.at, entry.actor, entry.token, entry.request],
        ...[entry.action, entry.target, entry.account, entry.outcome, entry.detail],
      );
      for (const above of ancestorsOf(entry.account)) this.#auditUnder.run(above, entry.seq, entry.index, entry.at);
    }
    for (const { seq, index, kind, key, tenant, fromAt, toAt, doc } of books) {
      this.#book.run(seq, index, kind, key, tenant, fromAt, toAt, doc);
    }
  }

  privates(writes: readonly PrivateWrite[]): void {
    for (const { kind, key, value } of writes) {
      if (value === null) this.#privateGone.run(storable(kind), storable(key));
      else this.#private.run(storable(kind), storable(key), value);
    }
  }

  snapshot(snapshot: Snapshot): void {
    this.#snapshot.run(snapshot.seq, snapshot.schema, snapshot.hash, snapshot.bytes);
    this.#snapshotsGone.run();
  }
}

function insertInto(db: DatabaseSync, table: string, columns: string, or = ""): StatementSync {
  const marks = columns
    .split(",")
    .map(() => "?")
    .join(", ");
  return db.prepare(`INSERT ${or} INTO ${table} (${columns}) VALUES (${marks})`);
}
