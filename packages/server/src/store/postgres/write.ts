import type { QueryConfig } from "pg";
import type { JournalRow } from "../../journal/format.ts";
import { journalColumns } from "../columns.ts";
import { ancestorsOf, tenantOf } from "../paths.ts";
import type { AuditRow, BookRow, DeviceRow, EndedJobRow, PrivateWrite, Projected, UsageRow } from "../port.ts";
import { privateDigest } from "../private-digest.ts";
import type { SealedTable, Sealing } from "../seal/sealing.ts";
import { asStored } from "../stored.ts";
import { storable } from "../text.ts";
import { spanOf } from "../usage-span.ts";
import type { Lease } from "./lease.ts";

/**
 * One part of a write: a statement that reads from `held`, which has one row while the lease is ours and none after.
 * Parts are joined into a single statement. A single statement is a transaction of its own, so a batch is one round
 * trip, is kept as a whole or not at all, and is checked against the fence by itself.
 */
export interface Part {
  /** Unique among the parts of one statement. Parts of one name have one text. */
  readonly name: string;
  readonly values: readonly unknown[];
  text(mark: () => string): string;
}

/** The statement that writes `parts` if the lease is held; it returns one row if it was, none if not. */
export function guarded(lease: Pick<Lease, "holder" | "fence">, parts: readonly Part[]): QueryConfig {
  const values: unknown[] = [lease.holder, lease.fence];
  const texts = parts.map((part) => {
    let next = values.length;
    values.push(...part.values);
    return `${part.name} AS (${part.text(() => `$${++next}`)})`;
  });
  // The lock makes a take-over wait for us, and makes us wait for a take-over and then find nothing.
  const held = "held AS (SELECT FROM tessera.fence WHERE name = 'writer' AND holder = $1 AND fence = $2 FOR SHARE)";
  return {
    name: preparedName(parts),
    text: `WITH ${[held, ...texts].join(",\n")} SELECT 1 FROM held`,
    values,
  };
}

/** Rows of the journal, in order. */
export function rowsPart(rows: readonly JournalRow[]): Part {
  const types = ["int8", "int8", "text", "int8", "bytea", "bytea", "int8", "int8", "bytea", "bytea", "bytea"];
  return {
    name: `rows_${rows.length}`,
    values: rows.flatMap((row) => [
      ...[row.seq, row.at, row.op, row.epoch, bufferOf(row.inputs), bufferOf(row.events), row.eventCount],
      ...[row.eventsBefore, bufferOf(row.salt), bufferOf(row.root), bufferOf(row.hash)],
    ]),
    text(mark) {
      const lists = rows.map(() => `(${types.map((type) => `${mark()}::${type}`).join(", ")})`);
      return `INSERT INTO tessera.journal (${journalColumns})
        SELECT r.* FROM held, (VALUES ${lists.join(", ")}) AS r (${journalColumns}) ORDER BY seq`;
    },
  };
}

/** What a batch adds to the projections; parts only for the tables that get something. */
export function projectedParts(projected: Projected, sealing: Sealing): Part[] {
  const { jobs, usage, devices, audit, books } = sealedRows(asStored(projected), sealing);
  const parts: Part[] = [];
  if (jobs.length > 0) {
    parts.push(insert("ended_job", jobFields, jobs));
    parts.push(insert("ended_job_under", jobUnderFields, jobs.map(withElement).flatMap(underEach)));
  }
  if (usage.length > 0) {
    const rows = usage.map((row) => ({ ...row, tenant: tenantOf(row.account), span: spanOf(row.fromAt, row.toAt) }));
    parts.push(insert("usage", usageFields, rows));
  }
  if (devices.length > 0) parts.push(insert("device", deviceFields, devices, replaceDevice));
  if (audit.length > 0) {
    parts.push(insert("audit", auditFields, audit));
    parts.push(insert("audit_under", auditUnderFields, audit.flatMap(underEach)));
  }
  if (books.length > 0) parts.push(insert("book", bookFields, books));
  return parts;
}

/** Private rows put and deleted; of several writes to one row the last counts, and only it is sent. */
export function privateParts(writes: readonly PrivateWrite[], sealing: Sealing): Part[] {
  const clean = writes.map(({ kind, key, value }) => keptPrivate(storable(kind), storable(key), value, sealing));
  const last = new Map(clean.map((write) => [`${write.kind}\n${write.key}`, write]));
  const put: PrivateRow[] = [];
  const gone: Pick<PrivateRow, "kind" | "key">[] = [];
  for (const { kind, key, value } of last.values()) {
    if (value === null) gone.push({ kind, key });
    else put.push({ kind, key, value: base64Of(value), digest: base64Of(privateDigest(kind, key, value)) });
  }
  const parts: Part[] = [];
  if (put.length > 0) parts.push(insert("private", privateFields, put, replacePrivate));
  if (gone.length > 0) {
    parts.push({
      name: "private_gone",
      values: [JSON.stringify(gone)],
      text: (mark) =>
        `DELETE FROM tessera.private p USING held, json_to_recordset(${mark()}::json) AS t(kind text, key text)
         WHERE p.kind = t.kind AND p.key = t.key`,
    });
  }
  return parts;
}

function keptPrivate(kind: string, key: string, value: Uint8Array | null, sealing: Sealing): PrivateWrite {
  return value === null ? { kind, key: sealing.privateKey(kind, key), value } : sealing.private({ kind, key, value });
}

/** The rows as the tables hold them. */
function sealedRows(projected: Projected, sealing: Sealing): Projected {
  if (sealing.by === undefined) return projected;
  const { jobs, usage, devices, audit, books } = projected;
  const path = (table: SealedTable, account: string) => sealing.column(table, "account", account);
  return {
    devices,
    jobs: jobs.map((row) => ({
      ...row,
      account: path("jobs", row.account),
      name: sealing.column("jobs", "name", row.name),
      doc: sealing.column("jobs", "doc", row.doc),
    })),
    usage: usage.map((row) => ({ ...row, account: path("usage", row.account) })),
    audit: audit.map((row) => ({
      ...row,
      account: path("audit", row.account),
      target: sealing.column("audit", "target", row.target),
      detail: sealing.column("audit", "detail", row.detail),
    })),
    books: books.map((row) => ({
      ...row,
      key: sealing.bookKey(row.kind, row.key),
      tenant: sealing.column("books", "tenant", row.tenant),
      doc: sealing.column("books", "doc", row.doc),
    })),
  };
}

/** Says which key seals the tables. */
export function sealingPart(key: string): Part {
  return {
    name: "sealing",
    values: [key],
    text: (mark) => `INSERT INTO tessera.sealing (single, key) SELECT true, ${mark()}::text FROM held`,
  };
}

/** Takes everything out of a table. */
export function emptyPart(table: string): Part {
  return {
    name: `empty_${table}`,
    values: [],
    text: () => `DELETE FROM tessera.${table} WHERE EXISTS (SELECT FROM held)`,
  };
}

/** One column: the field of the row, its type, and the column's name where that differs. */
type Field<Row> = readonly [field: keyof Row & string, type: "text" | "int8" | "base64", column?: string];

const jobFields: readonly Field<EndedJobRow>[] = [
  ["id", "text"],
  ["account", "text"],
  ["user", "text", "user_id"],
  ["name", "text"],
  ["arrayId", "text", "array_id"],
  ["submittedAt", "int8", "submitted_at"],
  ["endedAt", "int8", "ended_at"],
  ["outcome", "text"],
  ["exitCode", "int8", "exit_code"],
  ["gpus", "int8"],
  ["priority", "int8"],
  ["startedAt", "int8", "started_at"],
  ["ranUntil", "int8", "ran_until"],
  ["doc", "text"],
];

const jobUnderFields: readonly Field<EndedJobRow & Under & { element: number }>[] = [
  ["ancestor", "text"],
  ["submittedAt", "int8", "submitted_at"],
  ["id", "text"],
  ["outcome", "text"],
  ["element", "int8"],
];

const usageFields: readonly Field<UsageRow & { tenant: string; span: number }>[] = [
  ["lease", "text"],
  ["job", "text"],
  ["account", "text"],
  ["tenant", "text"],
  ["user", "text", "user_id"],
  ["node", "text"],
  ["gpu", "text"],
  ["model", "text"],
  ["units", "int8"],
  ["state", "text"],
  ["class", "text"],
  ["fromAt", "int8", "from_at"],
  ["toAt", "int8", "to_at"],
  ["span", "int8"],
];

const deviceFields: readonly Field<DeviceRow>[] = [
  ["gpu", "text"],
  ["at", "int8"],
  ["seq", "int8"],
  ["node", "text"],
  ["model", "text"],
  ["capacityUnits", "int8", "capacity_units"],
  ["freeUnits", "int8", "free_units"],
  ["mode", "text"],
];
const replaceDevice = `ON CONFLICT (gpu, at, seq) DO UPDATE SET node = excluded.node, model = excluded.model,
  capacity_units = excluded.capacity_units, free_units = excluded.free_units, mode = excluded.mode`;

const auditFields: readonly Field<AuditRow>[] = [
  ["seq", "int8"],
  ["index", "int8", "idx"],
  ["at", "int8"],
  ["actor", "text"],
  ["token", "text"],
  ["request", "text"],
  ["action", "text"],
  ["target", "text"],
  ["account", "text"],
  ["outcome", "text"],
  ["detail", "text"],
  ["origin", "text"],
  ["count", "int8"],
];

const auditUnderFields: readonly Field<AuditRow & Under>[] = [
  ["ancestor", "text"],
  ["seq", "int8"],
  ["index", "int8", "idx"],
  ["at", "int8"],
];

const bookFields: readonly Field<BookRow>[] = [
  ["seq", "int8"],
  ["index", "int8", "idx"],
  ["kind", "text"],
  ["key", "text"],
  ["tenant", "text"],
  ["fromAt", "int8", "from_at"],
  ["toAt", "int8", "to_at"],
  ["doc", "text"],
];

interface PrivateRow {
  readonly kind: string;
  readonly key: string;
  readonly value: string;
  readonly digest: string;
}
const privateFields: readonly Field<PrivateRow>[] = [
  ["kind", "text"],
  ["key", "text"],
  ["value", "base64"],
  ["digest", "base64"],
];
const replacePrivate = "ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, digest = excluded.digest";

interface Under {
  readonly ancestor: string;
}

function underEach<Row extends { readonly account: string }>(row: Row): (Row & Under)[] {
  return ancestorsOf(row.account).map((ancestor) => ({ ...row, ancestor }));
}

function withElement(row: EndedJobRow) {
  return { ...row, element: row.arrayId === null ? 0 : 1 };
}

/** Inserts all rows through one value: a list of records in JSON. */
function insert<Row>(table: string, fields: readonly Field<Row>[], rows: readonly Row[], onConflict = ""): Part {
  const wanted = fields.map(([field]) => field);
  return {
    name: table,
    values: [JSON.stringify(rows, wanted)],
    text(mark) {
      const columns = fields.map(([field, , column]) => column ?? field);
      const read = fields.map(([field, type]) =>
        type === "base64" ? `decode(t."${field}", 'base64')` : `t."${field}"`,
      );
      const shape = fields.map(([field, type]) => `"${field}" ${type === "base64" ? "text" : type}`);
      return `INSERT INTO tessera.${table} (${columns.join(", ")})
        SELECT ${read.join(", ")} FROM held, json_to_recordset(${mark()}::json) AS t(${shape.join(", ")}) ${onConflict}`;
    },
  };
}

const preparedNames = new Map<string, string>();

/** A short name for each combination of parts, since PostgreSQL's names end at 63 characters. */
function preparedName(parts: readonly Part[]): string {
  const combination = parts.map((part) => part.name).join(" ");
  const name = preparedNames.get(combination) ?? `tessera_write_${preparedNames.size + 1}`;
  preparedNames.set(combination, name);
  return name;
}

function base64Of(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("base64");
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
