import {
  correctionsOf,
  extractLines,
  holderAt,
  type Instant,
  type Invoice,
  type InvoiceIssued,
  type InvoiceLine,
  type IssuedLine,
  type IssueInvoice,
  invoiceText,
  isRefusal,
  type Period,
  type Refusal,
  readLine,
  refuse,
  type SpelledLine,
  spelled,
} from "@tessera/core";
import { sha256 } from "../../journal/digest.ts";
import { rootOfLeaves } from "../../journal/merkle.ts";
import type { StoreReader } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { extractFor, invoiceOf, type Rated, type RatedPeriod, ratePeriod } from "./bill.ts";
import { monthLabel, monthOf, ratedMonths, type TenantMonth, tenantMonths } from "./tenant-months.ts";

/** An invoice as the books hold it. */
export type IssuedInvoice = Omit<InvoiceIssued, "entries">;

/** The invoice that an event issued. */
export function invoiceOfIssued({
  tenant,
  period,
  currency,
  mode,
  lines,
  totalMicros,
  ratingVersion,
}: IssuedInvoice): Invoice {
  const read = lines.map((line: SpelledLine) => readLine(line));
  const sum = (wanted: (micros: bigint) => boolean) =>
    read.reduce((total, { micros }) => (wanted(micros) ? total + micros : total), 0n);
  const chargesMicros = sum((micros) => micros > 0n);
  const creditsMicros = sum((micros) => micros < 0n);
  const total = BigInt(totalMicros);
  return {
    ...{ tenant, period, currency, mode, lines: read, chargesMicros, creditsMicros },
    ...{ roundingMicros: total - chargesMicros - creditsMicros, totalMicros: total, ratingVersion },
  };
}

/** Issues the invoice of every tenant for a month that is over. What was issued before a crash is passed over. */
export async function closePeriod(control: ControlPlane, period: Period, by: Asker): Promise<string[] | Refusal> {
  if (period.toAt > control.now())
    return refuse("conflict", "period", period.label, "is not over yet", "close it when it is over");
  const numbers: string[] = [];
  for await (const command of invoicesToIssue(control, period)) {
    const done = await control.ask(command, by);
    if (!isRefusal(done)) numbers.push(done.result!);
    else if (done.refused !== "already-exists") return done;
  }
  return numbers;
}

/** What closing a period comes to: the invoices that are still to be issued, and the tenants that have theirs. */
export async function previewClose(control: ControlPlane, period: Period) {
  const rows = await control.reader.books({ kind: "invoice" });
  const issued = rows
    .map(({ doc }) => JSON.parse(doc) as IssuedInvoice)
    .filter((invoice) => monthOf(invoice.period).fromAt === period.fromAt);
  const isIssued = ({ tenant, period: { label } }: IssueInvoice) =>
    issued.some((invoice) => invoice.tenant === tenant && invoice.period.label === label);
  const toIssue: IssueInvoice[] = [];
  for await (const command of invoicesToIssue(control, period)) if (!isIssued(command)) toIssue.push(command);
  return { toIssue, issued: issued.map(({ tenant }) => tenant) };
}

/** One tenant's after the other, since an invoice with its lines may be large. */
async function* invoicesToIssue(control: ControlPlane, period: Period): AsyncGenerator<IssueInvoice> {
  const { reader, state } = control;
  const now = control.now();
  const rows = await reader.books({ kind: "invoice" });
  const issued = rows.map(({ seq, doc }) => ({ seq, invoice: JSON.parse(doc) as IssuedInvoice }));
  const before = await closedBefore(control, period, issued, now);
  const rate = (part: Period) => ratePeriod(reader, state, part, now);
  const whole = await rate(period);
  for (const tenant of whole.totals.tenants()) {
    const all = issued.filter(({ invoice }) => invoice.tenant === tenant).map(({ invoice }) => invoice);
    for (const part of await ratedMonths(state, tenant, period, whole, rate)) {
      const own = all.filter((invoice) => holderAt(state, tenant, invoice.period.toAt - 1).no === part.no);
      const corrections: InvoiceLine[] = [];
      for (const month of before) {
        const closed = await closedFor(control, tenant, part.no, own, month, now);
        if (closed !== undefined) corrections.push(...correctionsFor(own, closed, tenant));
      }
      const command = commandFor(part, tenant, corrections);
      if (command !== undefined) yield command;
    }
  }
}

/** As much of a closed month as was invoiced, or would have been, to one of the tenants that had a name. */
async function closedFor(
  { state, rated }: ControlPlane,
  tenant: string,
  no: number,
  own: readonly IssuedInvoice[],
  month: RatedPeriod,
  now: Instant,
): Promise<RatedPeriod | undefined> {
  const { label } = month.period;
  const invoiced = own.find(({ period }) => monthLabel(period.label) === label)?.period;
  const period = invoiced ?? tenantMonths(state, tenant, month.period).find((part) => part.no === no)?.period;
  if (period === undefined) return undefined;
  const isWhole = period.fromAt === month.period.fromAt && period.toAt === month.period.toAt;
  return isWhole ? month : rated.period(period, now);
}

/** An invoice, and where in the journal it stands. */
interface Issue {
  readonly seq: number;
  readonly invoice: IssuedInvoice;
}

/** Earlier periods of which something may have become known since they were last looked at, as they come to now. */
async function closedBefore(
  { reader, rated }: ControlPlane,
  period: Period,
  issued: readonly Issue[],
  now: Instant,
): Promise<RatedPeriod[]> {
  const found: RatedPeriod[] = [];
  for (const { period: closed, seenUntil } of closesOf(issued, period.fromAt)) {
    const isTouched = seenUntil === undefined || (await isWrittenAbout(reader, closed, seenUntil));
    if (isTouched) found.push(await rated.period(closed, now));
  }
  return found;
}

/**
 * Periods that were closed before, oldest first, each with the row up to which all that was written about it has been
 * looked at. Nothing is known of that for the last one; the others were looked at when each later one was closed, the
 * last time after the first invoice of the close before that.
 */
function closesOf(issued: readonly Issue[], beforeAt: Instant): { period: Period; seenUntil: number | undefined }[] {
  const first = new Map<Instant, { period: Period; seq: number }>();
  for (const { seq, invoice } of issued) {
    const period = monthOf(invoice.period);
    if (period.fromAt < beforeAt && !first.has(period.fromAt)) first.set(period.fromAt, { period, seq });
  }
  const closes = [...first.values()].sort((a, b) => a.period.fromAt - b.period.fromAt);
  return closes.map(({ period }, i) => ({
    period,
    seenUntil: i === closes.length - 1 ? undefined : closes.at(-2)!.seq,
  }));
}

/** What began before the end of a period may have counted in it until it was written how long it really lasted. */
async function isWrittenAbout(reader: StoreReader, { toAt }: Period, seq: number): Promise<boolean> {
  for (const kind of ["usage", "lost", "floor", "capacity"]) {
    if ((await reader.books({ kind, toAt, after: { seq, index: Number.MAX_SAFE_INTEGER }, limit: 1 })).length > 0)
      return true;
  }
  return false;
}

function commandFor(
  { rated, mode, sinceAt }: TenantMonth & { readonly rated: Rated },
  tenant: string,
  corrections: readonly InvoiceLine[],
): IssueInvoice | undefined {
  const invoice = invoiceOf(rated, tenant, mode, corrections);
  if (invoice === undefined || invoice.lines.length === 0) return undefined;
  const lines = extractLines(extractFor(rated, tenant, mode, corrections, sinceAt));
  return {
    kind: "invoice.issue",
    tenant,
    period: rated.period,
    ...{ currency: invoice.currency, mode, totalMicros: String(invoice.totalMicros) },
    lines: spelled(invoice.lines) as SpelledLine[],
    ratingVersion: invoice.ratingVersion,
    textHash: sha256(Buffer.from(invoiceText(invoice))).toString("hex"),
    extractRoot: extractRoot(lines),
  };
}

/** What a closed period comes to by what is known now, less what a tenant was invoiced for it. */
function correctionsFor(issued: readonly IssuedInvoice[], closed: RatedPeriod, tenant: string): InvoiceLine[] {
  const { fromAt, label } = closed.period;
  const lines: IssuedLine[] = [];
  for (const { number, period, lines: own } of issued) {
    for (const [i, line] of own.entries()) {
      if (period.fromAt !== fromAt && line.kind !== "correction") continue;
      // What the period's own invoice corrects is of periods before it.
      if (period.fromAt === fromAt && line.kind === "correction") continue;
      lines.push({ name: `${number}/${i + 1}`, line: readLine(line) });
    }
  }
  return correctionsOf(label, lines, invoiceOf(closed, tenant, "chargeback")?.lines ?? []);
}

/** The hash of one line of an extract. */
export function extractLeaf(line: string): Buffer {
  return sha256(Buffer.concat([Uint8Array.of(0x04), Buffer.from(line, "utf8")]));
}

/** The Merkle root over the lines of an extract, hexadecimal. */
export function extractRoot(lines: readonly string[]): string {
  return Buffer.from(rootOfLeaves(lines.map(extractLeaf))).toString("hex");
}
