import {
  accountOf,
  canonicalJson,
  type Event,
  type JobEnded,
  type KeptOutput,
  type MeterRecord,
  type ReadonlyState,
  tenantOfPath,
  type Usage,
  usagesOf,
} from "@tessera/core";
import type { BookRow } from "../../store/port.ts";

type Row = Omit<BookRow, "seq" | "index">;

/** A metered record as rows of the books; a stretch has one row for each usage that billing makes of it. */
export function meterRows({ is, record }: MeterRecord): Row[] {
  switch (is) {
    case "stretch":
      return usagesOf(record).map(usageRow);
    case "floor":
      return [{ kind: is, key: record.account, tenant: tenantOfPath(record.account), ...written(record) }];
    case "capacity":
      return [{ kind: is, key: record.model, tenant: "", ...written(record) }];
    case "lost":
      return [{ kind: is, key: record.lease, tenant: tenantOfPath(record.account), ...written(record) }];
  }
}

function usageRow(usage: Usage): Row {
  const { lease, account, fromAt, toAt } = usage;
  return { kind: "usage", key: lease, tenant: tenantOfPath(account), fromAt, toAt, doc: canonicalJson(usage) };
}

/** The record of an instant, and when it was. */
function written(record: { readonly at: number }): Pick<Row, "fromAt" | "toAt" | "doc"> {
  return { ...instant(record.at), doc: canonicalJson(record) };
}

/** What an event adds to the books: an invoice, and the entries of the ledger that it brings. */
export function moneyRows(event: Event): readonly Row[] {
  switch (event.kind) {
    case "invoice-issued": {
      const { tenant, number, period, entries, ...rest } = event;
      const doc = canonicalJson({ tenant, number, period, ...rest });
      const invoice = { kind: "invoice", key: number, tenant, fromAt: period.fromAt, toAt: period.toAt, doc };
      return [invoice, ...entries.map((entry) => entryRow(tenant, event.at, entry))];
    }
    case "entry-posted":
      return [entryRow(event.tenant, event.at, event.entry)];
    default:
      return none;
  }
}

const none: readonly never[] = [];

function entryRow(tenant: string, at: number, entry: { readonly no: number }): Row {
  return { kind: "entry", key: String(entry.no), tenant, ...instant(at), doc: canonicalJson(entry) };
}

function instant(at: number): Pick<Row, "fromAt" | "toAt"> {
  return { fromAt: at, toAt: at };
}

/** What an ended job keeps: found by its end, because that decides how long it is kept. */
export interface OutputsKept {
  readonly account: string;
  readonly job: string;
  readonly outputs: readonly KeptOutput[];
}

/** The outputs of a job that ends; `state` is the one before. */
export function outputRows(state: ReadonlyState, event: JobEnded): readonly Row[] {
  const { outputs, id: job, account: no } = state.jobs.get(event.job)!;
  if (outputs === undefined) return none;
  const account = accountOf(state, no).path;
  const kept: OutputsKept = { account, job, outputs };
  return [{ kind: "output", key: job, tenant: tenantOfPath(account), ...instant(event.at), doc: canonicalJson(kept) }];
}
