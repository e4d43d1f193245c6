import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JournalRow } from "../../journal/format.ts";
import { auditColumns, bookColumns, deviceColumns, jobColumns, journalColumns } from "../columns.ts";
import { type PrivateWrite, type Snapshot, snapshotsKept } from "../port.ts";
import { privateDigest } from "../private-digest.ts";
import type { Sealing } from "../seal/sealing.ts";
import { storable } from "../text.ts";
import { type RowFields, type TableValues, tableValuesOf } from "./values.ts";

/** The tables that answer questions, each with its columns in the order of its values. */
const projections: Readonly<Record<keyof TableValues, string>> = {
  ended_job: jobColumns,
  ended_job_under: "ancestor, submitted_at, id, outcome, element",
  usage: "lease, job, account, tenant, user_id, node, gpu, model, units, state, class, from_at, to_at, span",
  device: deviceColumns,
  audit: auditColumns,
  audit_under: "ancestor, seq, idx, at",
  book: bookColumns,
};

/** The prepared statements that write; each is called inside a transaction. */
export class Inserts {
  readonly #sealing: Sealing;
  readonly #journal: StatementSync;
  readonly #projections: readonly (readonly [keyof TableValues, RowsInsert])[];
  readonly #private: StatementSync;
  readonly #privateGone: StatementSync;
  readonly #snapshot: StatementSync;
  readonly #snapshotsGone: StatementSync;

  constructor(db: DatabaseSync, sealing: Sealing) {
    this.#sealing = sealing;
    this.#journal = insertInto(db, "journal", journalColumns);
    this.#projections = Object.entries(projections).map(([table, columns]) => [
      table as keyof TableValues,
      new RowsInsert(db, table, columns),
    ]);
    this.#private = insertInto(db, "private", "kind, key, value, digest", "OR REPLACE");
    this.#privateGone = db.prepare("DELETE FROM private WHERE kind = ? AND key = ?");
    this.#snapshot = insertInto(db, "snapshot", "seq, schema, hash, bytes", "OR REPLACE");
    // The one before the newest stays, should the newest turn out to be unreadable. A later one is not of this journal.
    this.#snapshotsGone = db.prepare(
      `DELETE FROM snapshot WHERE seq > ?1
        OR seq NOT IN (SELECT seq FROM snapshot WHERE seq <= ?1 ORDER BY seq DESC LIMIT ${snapshotsKept})`,
    );
  }

  /** All that one batch writes. */
  batch(row: JournalRow, fields: RowFields, privates: readonly PrivateWrite[]): void {
    this.row(row);
    this.projected(fields);
    this.privates(privates);
  }

  row(clear: JournalRow): void {
    const row = this.#sealing.row(clear);
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

  projected(fields: RowFields): void {
    const values = tableValuesOf(fields, this.#sealing);
    for (const [table, insert] of this.#projections) insert.run(values[table]);
  }

  privates(writes: readonly PrivateWrite[]): void {
    for (const { kind, key, value } of writes) {
      const id = [storable(kind), storable(key)] as const;
      if (value === null) {
        this.#privateGone.run(id[0], this.#sealing.privateKey(...id));
        continue;
      }
      const kept = this.#sealing.private({ kind: id[0], key: id[1], value });
      this.#private.run(kept.kind, kept.key, kept.value, privateDigest(kept.kind, kept.key, kept.value));
    }
  }

  snapshot(clear: Snapshot): void {
    const snapshot = this.#sealing.snapshot(clear);
    this.#snapshot.run(snapshot.seq, snapshot.schema, snapshot.hash, snapshot.bytes);
    this.#snapshotsGone.run(snapshot.seq);
  }
}

/** With more rows to a statement the price of one is spread no further. */
const rowsAtOnce = 32;

/** Inserts many rows of one table, several with one statement, which costs two thirds of one at a time. */
class RowsInsert {
  readonly #width: number;
  readonly #one: StatementSync;
  readonly #many: StatementSync;

  constructor(db: DatabaseSync, table: string, columns: string) {
    this.#width = columns.split(",").length;
    // A statement that fails ends its transaction. Told so, SQLite does not save each page to undo the statement alone.
    const or = table === "device" ? "OR REPLACE" : "OR FAIL";
    this.#one = insertInto(db, table, columns, or);
    this.#many = insertInto(db, table, columns, or, rowsAtOnce);
  }

  run(values: TableValues[keyof TableValues]): void {
    const atOnce = this.#width * rowsAtOnce;
    let from = 0;
    for (; from + atOnce <= values.length; from += atOnce) this.#many.run(...values.slice(from, from + atOnce));
    for (; from < values.length; from += this.#width) this.#one.run(...values.slice(from, from + this.#width));
  }
}

function insertInto(db: DatabaseSync, table: string, columns: string, or = "", rows = 1): StatementSync {
  const row = `(${columns.replaceAll(/\w+/g, "?")})`;
  return db.prepare(`INSERT ${or} INTO ${table} (${columns}) VALUES ${Array(rows).fill(row).join(", ")}`);
}
