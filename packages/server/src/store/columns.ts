import type { EventLines, JournalRow } from "../journal/format.ts";
import type {
  AuditRow,
  BookRow,
  DeviceRow,
  EndedJobKeys,
  EndedJobRow,
  JobGroup,
  JobQuery,
  SubmittedPlace,
  UsageRow,
} from "./port.ts";
import type { Sealing } from "./seal/sealing.ts";

/** The columns that both databases share, and the rows that come out of them. */
export const journalColumns = "seq, at, op, epoch, inputs, events, event_count, events_before, salt, root, hash";
export const jobKeyColumns =
  "id, account, user_id, name, array_id, submitted_at, ended_at, outcome, exit_code, gpus, priority, started_at, ran_until";
export const jobColumns = `${jobKeyColumns}, doc`;
export const usageColumns = "lease, job, account, user_id, node, gpu, model, units, state, class, from_at, to_at";
export const deviceColumns = "gpu, node, model, at, seq, capacity_units, free_units, mode";
export const auditColumns =
  "seq, idx, at, actor, token, request, action, target, account, outcome, detail, origin, count";

export const bookColumns = "seq, idx, kind, key, tenant, from_at, to_at, doc";

/** The columns with the name of their table before each. */
export function columnsOf(table: string, columns: string): string {
  return columns.replaceAll(/\w+/g, (column) => `${table}.${column}`);
}

/** A row as the database's library hands it out. */
// biome-ignore lint/suspicious/noExplicitAny: each column's type is fixed by the schema, which TypeScript cannot see
export type Found = Record<string, any>;

export function journalRowOf(found: Found, sealing: Sealing): JournalRow {
  return sealing.openRow({
    seq: found.seq,
    at: found.at,
    op: found.op,
    epoch: found.epoch,
    inputs: found.inputs,
    events: found.events,
    eventCount: found.event_count,
    eventsBefore: found.events_before,
    salt: found.salt,
    root: found.root,
    hash: found.hash,
  });
}

export function jobRowOf(found: Found, sealing: Sealing): EndedJobRow {
  return sealing.openColumns("jobs", { ...jobKeysIn(found), doc: found.doc });
}

export function jobKeysOf(found: Found, sealing: Sealing): EndedJobKeys {
  return sealing.openColumns("jobs", jobKeysIn(found));
}

function jobKeysIn(found: Found): EndedJobKeys {
  return {
    id: found.id,
    account: found.account,
    user: found.user_id,
    name: found.name,
    arrayId: found.array_id,
    submittedAt: found.submitted_at,
    endedAt: found.ended_at,
    outcome: found.outcome,
    exitCode: found.exit_code,
    gpus: found.gpus,
    priority: found.priority,
    startedAt: found.started_at,
    ranUntil: found.ran_until,
  };
}

export function usageRowOf(found: Found, sealing: Sealing): UsageRow {
  return sealing.openColumns("usage", {
    lease: found.lease,
    job: found.job,
    account: found.account,
    user: found.user_id,
    node: found.node,
    gpu: found.gpu,
    model: found.model,
    units: found.units,
    state: found.state,
    class: found.class,
    fromAt: found.from_at,
    toAt: found.to_at,
  });
}

export function deviceRowOf(found: Found): DeviceRow {
  return {
    gpu: found.gpu,
    node: found.node,
    model: found.model,
    at: found.at,
    seq: found.seq,
    capacityUnits: found.capacity_units,
    freeUnits: found.free_units,
    mode: found.mode,
  };
}

export function auditRowOf(found: Found, sealing: Sealing): AuditRow {
  return sealing.openColumns("audit", {
    seq: found.seq,
    index: found.idx,
    at: found.at,
    actor: found.actor,
    token: found.token,
    request: found.request,
    action: found.action,
    target: found.target,
    account: found.account,
    outcome: found.outcome,
    detail: found.detail,
    ...(found.origin !== null && { origin: found.origin }),
    ...(found.count !== null && { count: found.count }),
  });
}

export function bookRowOf(found: Found, sealing: Sealing): BookRow {
  return sealing.openColumns("books", {
    seq: found.seq,
    index: found.idx,
    kind: found.kind,
    key: sealing.openBookKey(found.kind, found.key),
    tenant: found.tenant,
    fromAt: found.from_at,
    toAt: found.to_at,
    doc: found.doc,
  });
}

/** The order in which jobs are listed: newest first, ties by id. */
export function newestJobFirst(a: SubmittedPlace, b: SubmittedPlace): number {
  return b.submittedAt - a.submittedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

export function submittedOrder({ oldestFirst }: Pick<JobQuery, "oldestFirst">): typeof newestJobFirst {
  return oldestFirst === true ? (a, b) => newestJobFirst(b, a) : newestJobFirst;
}

/** The user or the account of a group. */
export function openedGroup(group: JobGroup, kept: string, { sealing }: { readonly sealing: Sealing }): string {
  return group === "user" ? kept : sealing.openColumns("jobs", { account: kept }).account;
}

/** The order in which audit records are listed: latest first. */
export function latestAuditFirst(a: AuditRow, b: AuditRow): number {
  return b.seq - a.seq || b.index - a.index;
}

/** Values of private rows by key. */
export function openedPrivates(found: readonly Found[], sealing: Sealing): Map<string, Uint8Array> {
  return new Map(
    found.map(({ kind, key, value }) => {
      const opened = sealing.openPrivate({ kind, key, value });
      return [opened.key, opened.value];
    }),
  );
}

/** The events of sealed rows, of which the bytes were read. */
export function openedLines(found: readonly Found[], sealing: Sealing): EventLines[] {
  return found.map(({ seq, at, eventCount, lines }) => {
    return { seq, at, eventCount, lines: sealing.openEvents(seq, lines) };
  });
}
