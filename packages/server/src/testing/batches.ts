import { createHash } from "node:crypto";
import type { JournalPlace } from "../journal/format.ts";
import { joinLines } from "../journal/lines.ts";
import { draftAfter } from "../journal/row.ts";
import type {
  AuditRow,
  Batch,
  BookRow,
  DeviceRow,
  EndedJobRow,
  PrivateWrite,
  Projected,
  UsageRow,
} from "../store/port.ts";

/** 2026-01-01 in milliseconds: the time at which samples happen. */
export const noon = 1_767_225_600_000;

export const nothingProjected: Projected = { jobs: [], usage: [], devices: [], audit: [], books: [] };

export interface SampleBatch {
  readonly op?: string;
  readonly at?: number;
  readonly events?: readonly string[];
  readonly projected?: Partial<Projected>;
  readonly privates?: readonly PrivateWrite[];
}

/** A batch that follows `head`; the same arguments give the same bytes. */
export function batchAfter(head: JournalPlace, sample: SampleBatch = {}): Batch {
  const seq = head.seq + 1;
  const op = sample.op ?? `op_${seq}`;
  return {
    row: draftAfter(head, {
      at: sample.at ?? noon + seq,
      op,
      epoch: 1,
      inputs: joinLines([`{"kind":"tick","v":1}`, `{"kind":"command","op":"${op}","v":1}`]),
      events: joinLines(
        sample.events ?? [`{"at":${noon},"kind":"job-held","n":${seq},"v":1}`, `{"text":"größe \\u0000 🙂"}`],
      ),
      salt: createHash("sha256").update(op).digest().subarray(0, 16),
    }),
    projected: { ...nothingProjected, ...sample.projected },
    privates: sample.privates ?? [],
  };
}

export function jobOf(change: Partial<EndedJobRow> = {}): EndedJobRow {
  return {
    id: "job_1",
    account: "vision",
    user: "user_ada",
    name: "train",
    arrayId: null,
    submittedAt: noon,
    endedAt: noon + 60_000,
    outcome: "succeeded",
    exitCode: 0,
    gpus: 1,
    priority: 0,
    startedAt: noon,
    ranUntil: noon + 60_000,
    doc: `{"id":"job_1"}`,
    ...change,
  };
}

export function usageOf(change: Partial<UsageRow> = {}): UsageRow {
  return {
    lease: "lease_1",
    job: "job_1",
    account: "vision",
    user: "user_ada",
    node: "n1",
    gpu: "GPU-1",
    model: "H100",
    units: 21_000,
    state: "running",
    class: "guaranteed",
    fromAt: noon,
    toAt: noon + 1_000,
    ...change,
  };
}

export function deviceOf(change: Partial<DeviceRow> = {}): DeviceRow {
  return {
    gpu: "GPU-1",
    node: "n1",
    model: "H100",
    at: noon,
    seq: 1,
    capacityUnits: 21_000,
    freeUnits: 21_000,
    mode: "up",
    ...change,
  };
}

export function bookOf(change: Partial<BookRow> = {}): BookRow {
  return {
    seq: 1,
    index: 0,
    kind: "entry",
    key: "1",
    tenant: "vision",
    fromAt: noon,
    toAt: noon,
    doc: "{}",
    ...change,
  };
}

export function auditOf(change: Partial<AuditRow> = {}): AuditRow {
  return {
    seq: 1,
    index: 0,
    at: noon,
    actor: "user_ada",
    token: null,
    request: "req_1",
    action: "job.submit",
    target: "job_1",
    account: "vision",
    outcome: "ok",
    detail: "",
    ...change,
  };
}

const orderColumns = [
  "name",
  "account",
  "gpus",
  "priority",
  "outcome",
  "started_key",
  "ran_until",
  "waited_ms",
  "ran_ms",
];
const keyColumns = ["started_key", "waited_ms", "ran_ms", "gpus", "priority", "started_at", "ran_until"];

/** The version of the schema, in both databases, before the keys of jobs. */
export const versionBeforeJobKeys = 9;

/** Takes out of a database what the version before the keys of jobs did not have; `schema` stands before its names. */
export function withoutJobKeys(schema: string): string {
  const indexes = ["tops", ...[...orderColumns, "user_id"].map((column) => `order_${column}`)];
  return [
    ...indexes.map((name) => `DROP INDEX ${schema}ended_job_${name}`),
    ...keyColumns.map((column) => `ALTER TABLE ${schema}ended_job DROP COLUMN ${column}`),
    ...(schema === "" ? [] : [`DROP INDEX ${schema}ended_job_under_tops`]),
    `ALTER TABLE ${schema}ended_job_under DROP COLUMN element`,
    `CREATE INDEX ended_job_by_user ON ${schema}ended_job (user_id, submitted_at, id)`,
  ].join("; ");
}
