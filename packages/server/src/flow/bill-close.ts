import {
  correctionsOf,
  extractLines,
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
import { sha256 } from "../journal/digest.ts";
import { rootOfLeaves } from "../journal/merkle.ts";
import { extractFor, invoiceOf, modeOf, type Rated, ratePeriod } from "./bill.ts";
import { periodAt } from "./bill-periods.ts";
import type { Asker, ControlPlane } from "./control.ts";

/** An invoice as the books hold it. */
export type IssuedInvoice = Omit<InvoiceIssued, "entries">;

/** Issues the invoice of every tenant for a month that is over. What was issued before a crash is passed over. */
export async function closePeriod(control: ControlPlane, period: Period, by: Asker): Promise<string[] | Refusal> {
  const { reader, state } = control;
  const now = control.now();
  if (period.toAt > now) return refuse("conflict", "period", period.label, "is not over yet", "close it when it is");
  const rated = await ratePeriod(reader, state, period, now);
  const before = await ratePeriod(reader, state, periodAt(period.fromAt - 1, period.zone), now);
  const numbers: string[] = [];
  for (const tenant of rated.totals.tenants()) {
    const command = await commandFor(control, rated, before, tenant);
    if (command === undefined) continue;
    const done = await control.ask(command, by);
    if (!isRefusal(done)) numbers.push(done.result!);
    else if (done.refused !== "already-exists") return done;
  }
  return numbers;
}

async function commandFor(
  { reader, state }: ControlPlane,
  rated: Rated,
  before: Rated,
  tenant: string,
): Promise<IssueInvoice | undefined> {
  const mode = modeOf(state, tenant);
  const rows = await reader.books({ kind: "invoice", tenant });
  const issued = rows.map(({ doc }) => JSON.parse(doc) as IssuedInvoice);
  const corrections = correctionsFor(issued, before, tenant);
  const invoice = invoiceOf(rated, tenant, mode, corrections);
  if (invoice === undefined || invoice.lines.length === 0) return undefined;
  const lines = extractLines(extractFor(rated, tenant, mode, corrections));
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

/** What the month before comes to by what is known now, less what was invoiced for it. */
function correctionsFor(issued: readonly IssuedInvoice[], before: Rated, tenant: string): InvoiceLine[] {
  const first = issued.find(({ period }) => period.fromAt === before.period.fromAt);
  if (first === undefined) return [];
  const lines: IssuedLine[] = issued
    .filter(({ period }) => period.fromAt >= before.period.fromAt)
    .flatMap(({ number, lines }) => lines.map((line, i) => ({ name: `${number}/${i + 1}`, line: readLine(line) })))
    .filter(({ name, line }) => name.startsWith(`${first.number}/`) || line.corrects?.startsWith(`${first.number}/`));
  const now = invoiceOf(before, tenant, first.mode)?.lines ?? [];
  return correctionsOf(
    lines,
    now.filter(({ kind }) => kind !== "minimum" && kind !== "idle"),
  );
}

/** The hash of one line of an extract. */
export function extractLeaf(line: string): Buffer {
  return sha256(Buffer.concat([Uint8Array.of(0x04), Buffer.from(line, "utf8")]));
}

/** The Merkle root over the lines of an extract, hexadecimal. */
export function extractRoot(lines: readonly string[]): string {
  return Buffer.from(rootOfLeaves(lines.map(extractLeaf))).toString("hex");
}
