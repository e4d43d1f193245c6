import { canonicalJson, type Event, type MeterRecord, tenantOfPath } from "@tessera/core";
import type { BookRow } from "../../store/port.ts";

type Row = Omit<BookRow, "seq" | "index">;

/** Something metered as a row of the books. */
export function meterRow({ is, record }: MeterRecord): Row {
  const doc = canonicalJson(record);
  switch (is) {
    case "usage": {
      const { lease, account, fromAt, toAt } = record;
      return { kind: is, key: lease, tenant: tenantOfPath(account), fromAt, toAt, doc };
    }
    case "floor":
      return { kind: is, key: record.account, tenant: tenantOfPath(record.account), ...instant(record.at), doc };
    case "capacity":
      return { kind: is, key: record.model, tenant: "", ...instant(record.at), doc };
    case "lost":
      return { kind: is, key: record.lease, tenant: tenantOfPath(record.account), ...instant(record.at), doc };
  }
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
