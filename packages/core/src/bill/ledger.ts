import type { Instant } from "../model/units.ts";
import type { Micros } from "../money/amount.ts";
import type { ChargeKind, InvoiceLine } from "../money/charge.ts";
import type { Invoice } from "../money/invoice.ts";
import type { EntryKind, LedgerAccount, LedgerEntry } from "../money/ledger.ts";

/** What is wrong with an entry; undefined if nothing is (S13). */
export function faultOf(entry: Pick<LedgerEntry, "legs">): string | undefined {
  if (entry.legs.length < 2) return "an entry has at least two legs";
  let sum = 0n;
  for (const leg of entry.legs) sum += leg.micros;
  return sum === 0n ? undefined : `the legs add up to ${sum}, not to 0`;
}

/** The account on the other side of an invoice line. */
function contraAccount(kind: ChargeKind, book: string): LedgerAccount {
  switch (kind) {
    case "reserved":
      return `reservation/${book}`;
    case "lent":
      return `lender/${book}`;
    case "idle":
      return "idle-pool";
    case "lost-work":
    case "correction":
      return "adjustments";
    default:
      return `revenue/${kind}`;
  }
}

/** The account that an invoice is booked to: owed with chargeback, only shown with showback. */
function billedTo(mode: Invoice["mode"], book: string): LedgerAccount {
  return `tenant/${book}/${mode === "chargeback" ? "owed" : "shown"}`;
}

/**
 * One entry for each line of an invoice and one for the rounding, numbered from `firstNo` on. `ofTenant` names the books
 * of the tenant, which are not those of its name once another tenant has that.
 */
export function entriesOf(
  invoice: Invoice,
  number: string,
  firstNo: number,
  at: Instant,
  ofTenant = invoice.tenant,
): LedgerEntry[] {
  const { currency, mode } = invoice;
  const to = billedTo(mode, ofTenant);
  const entries: LedgerEntry[] = [];
  const book = (kind: EntryKind, from: LedgerAccount, micros: Micros, memo: string, line?: number): void => {
    if (micros === 0n) return;
    const legs = [
      { account: to, micros },
      { account: from, micros: -micros },
    ];
    const no = firstNo + entries.length;
    entries.push({ no, kind, at, currency, legs, invoice: number, ...(line !== undefined && { line }), memo });
  };
  for (const [i, line] of invoice.lines.entries()) {
    const { kind, micros } = line;
    const entryKind = kind === "correction" ? "adjustment" : micros < 0n ? "credit" : "charge";
    book(entryKind, contraAccount(kind, ofTenant), micros, memoOf(line), i + 1);
  }
  book("rounding", "rounding", invoice.roundingMicros, "rounded to what can be paid");
  return entries;
}

/** `burst H100 lab/vision`; `correction 2026-10 INV-000041/7 H100 lab/vision`. */
function memoOf({ kind, correctsPeriod = "", corrects = "", model, account }: InvoiceLine): string {
  return [kind, correctsPeriod, corrects, model, account].filter((part) => part !== "").join(" ");
}
