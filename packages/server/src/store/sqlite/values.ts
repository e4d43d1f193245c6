import { auditColumns, bookColumns, jobColumns, usageColumns } from "../columns.ts";
import { ancestorsOf, tenantOf } from "../paths.ts";
import type { Projected } from "../port.ts";
import type { SealedTable, Sealing } from "../seal/sealing.ts";
import { storable } from "../text.ts";
import { spanOf } from "../usage-span.ts";

type Value = string | number | null;

/** All fields of a batch's rows, one after the other: to hand over lists of these costs a third of what objects do. */
export interface RowFields {
  readonly jobs: readonly Value[];
  readonly usage: readonly Value[];
  readonly devices: readonly Value[];
  readonly audit: readonly Value[];
  readonly books: readonly Value[];
}

/** The rows of a batch as they are handed over. */
export function fieldsOf(projected: Projected): RowFields {
  const [jobs, usage, devices, audit, books]: [Value[], Value[], Value[], Value[], Value[]] = [[], [], [], [], []];
  for (const row of projected.jobs) {
    const { id, account, user, name, arrayId, submittedAt, endedAt, outcome, exitCode, doc } = row;
    jobs.push(id, account, user, name, arrayId, submittedAt, endedAt, outcome, exitCode);
    jobs.push(row.gpus, row.priority, row.startedAt, row.ranUntil, doc);
  }
  for (const { lease, job, account, user, node, gpu, model, units, state, class: its, fromAt, toAt } of projected.usage)
    usage.push(lease, job, account, user, node, gpu, model, units, state, its, fromAt, toAt);
  for (const { gpu, node, model, at, seq, capacityUnits, freeUnits, mode } of projected.devices)
    devices.push(gpu, node, model, at, seq, capacityUnits, freeUnits, mode);
  for (const row of projected.audit) {
    const { seq, index, at, actor, token, request, action, target, account, outcome, detail } = row;
    audit.push(seq, index, at, actor, token, request, action, target, account, outcome, detail);
    audit.push(row.origin ?? null, row.count ?? null);
  }
  for (const { seq, index, kind, key, tenant, fromAt, toAt, doc } of projected.books)
    books.push(seq, index, kind, key, tenant, fromAt, toAt, doc);
  return { jobs, usage, devices, audit, books };
}

/** All values of a table's rows, one after the other, in the order of its columns. */
export interface TableValues {
  readonly ended_job: readonly Value[];
  readonly ended_job_under: readonly Value[];
  readonly usage: readonly Value[];
  readonly device: readonly Value[];
  readonly audit: readonly Value[];
  readonly audit_under: readonly Value[];
  readonly book: readonly Value[];
}

/** Fields of a job's row. */
const jobWidth = 14;
/** Fields of an audit row. */
const auditWidth = 13;

/** The rows of a batch as the tables hold them. */
export function tableValuesOf(fields: RowFields, sealing: Sealing): TableValues {
  const ended_job = sealed("jobs", jobColumns, storableValues(fields.jobs), sealing);
  const usage = sealed("usage", usageColumns, storableValues(fields.usage), sealing);
  const audit = sealed("audit", auditColumns, storableValues(fields.audit), sealing);
  const [ended_job_under, used, audit_under]: [Value[], Value[], Value[]] = [[], [], []];
  for (let i = 0; i < ended_job.length; i += jobWidth) {
    const [id, account, , , arrayId, submittedAt, , outcome] = ended_job.slice(i, i + jobWidth);
    const element = arrayId === null ? 0 : 1;
    for (const above of ancestorsOf(account as string))
      ended_job_under.push(above, submittedAt!, id!, outcome!, element);
  }
  for (let i = 0; i < usage.length; i += 12) {
    const [lease, job, account, ...rest] = usage.slice(i, i + 12);
    const [fromAt, toAt] = rest.slice(-2) as [number, number];
    used.push(lease!, job!, account!, tenantOf(account as string), ...rest, spanOf(fromAt, toAt));
  }
  for (let i = 0; i < audit.length; i += auditWidth) {
    for (const above of ancestorsOf(audit[i + 8] as string))
      audit_under.push(above, audit[i]!, audit[i + 1]!, audit[i + 2]!);
  }
  return {
    ended_job,
    ended_job_under,
    usage: used,
    device: storableValues(fields.devices),
    audit,
    audit_under,
    book: sealedBooks(storableValues(fields.books), sealing),
  };
}

/** The list itself where nothing is sealed. */
function sealed(table: SealedTable, columns: string, values: readonly Value[], sealing: Sealing): readonly Value[] {
  if (sealing.by === undefined || values.length === 0) return values;
  const names = columns.split(", ");
  return values.map((value, i) =>
    typeof value === "string" ? sealing.column(table, names[i % names.length]!, value) : value,
  );
}

function sealedBooks(values: readonly Value[], sealing: Sealing): readonly Value[] {
  if (sealing.by === undefined) return values;
  const names = bookColumns.split(", ");
  const [kindAt, keyAt] = [names.indexOf("kind"), names.indexOf("key")];
  return sealed("books", bookColumns, values, sealing).map((value, i) => {
    if (i % names.length !== keyAt) return value;
    return sealing.bookKey(values[i - keyAt + kindAt] as string, value as string);
  });
}

/** The list itself, unless one of its texts has to be changed. */
function storableValues(values: readonly Value[]): readonly Value[] {
  return values.every((value) => storableValue(value) === value) ? values : values.map(storableValue);
}

function storableValue(value: Value): Value {
  return typeof value === "string" ? storable(value) : value;
}
