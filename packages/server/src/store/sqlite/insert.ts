import type { DatabaseSync, StatementSync } from "node:sqlite";
import { auditColumns, bookColumns, deviceColumns, jobColumns, journalColumns } from "../columns.ts";
import type { JournalRow, PrivateWrite, Snapshot } from "../port.ts";
import { storable } from "../text.ts";
import type { TableValues } from "./values.ts";

/** The tables that answer questions, each with its columns in the order of its values. */
const projections: Readonly<Record<keyof TableValues, string>> = {
  ended_job: jobColumns,
  ended_job_under: "ancestor, submitted_at, id, outcome",
  usage: "lease, job, account, tenant, user_id, node, gpu, model, units, state, class, from_at, to_at, span",
  device: deviceColumns,
  audit: auditColumns,
  audit_under: "ancestor, seq, idx, at",
  book: bookColumns,
};

/** The prepared statements that write; each is called inside a transaction. */
export class Inserts {
  readonly #journal: StatementSync;
  readonly #projections: readonly (readonly [keyof TableValues, StatementSync, number])[];
  readonly #private: StatementSync;
  readonly #privateGone: StatementSync;
  readonly #snapshot: StatementSync;
  readonly #snapshotsGone: StatementSync;

  constructor(db: DatabaseSync) {
    this.#journal = insertInto(db, "journal", journalColumns);
    this.#projections = Object.entries(projections).map(([table, columns]) => [
      table as keyof TableValues,
      insertInto(db, table, columns, table === "device" ? "OR REPLACE" : ""),
      columns.split(",").length,
    ]);
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

  values(values: TableValues): void {
    for (const [table, insert, width] of this.#projections) {
      const all = values[table];
      for (let from = 0; from < all.length; from += width) insert.run(...all.slice(from, from + width));
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
