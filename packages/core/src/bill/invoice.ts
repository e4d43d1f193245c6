import { canonicalJson } from "../journal/canonical.ts";
import { divideRounded, type Micros, minorMicros } from "../money/amount.ts";
import type { InvoiceLine } from "../money/charge.ts";
import type { Invoice, Period, SpelledLine } from "../money/invoice.ts";
import { type PriceBook, type PriceWindow, versionAt } from "../money/price.ts";
import { lentPrice, type PriceTerms, termsAt } from "../money/unit-price.ts";
import { inOrder, lineOf, noGpu } from "./lines.ts";
import type { Shared } from "./totals.ts";

/** Grows when the same usage and prices would give another amount; an invoice is recomputed under the version it names. */
export const ratingVersion = 1;

export interface InvoiceParts {
  readonly tenant: string;
  readonly period: Period;
  readonly mode: Invoice["mode"];
  readonly book: PriceBook;
  readonly windows: readonly PriceWindow[];
  /** From the tenant's own records. */
  readonly lines: readonly InvoiceLine[];
  /** From looking at the whole fleet; those of other tenants are passed over. */
  readonly shared: readonly Shared[];
  readonly corrections: readonly InvoiceLine[];
}

/** Puts an invoice together; undefined where no price list holds in the period. */
export function buildInvoice(parts: InvoiceParts): Invoice | undefined {
  const { tenant, period, mode, book } = parts;
  const version = versionAt(book, period.toAt - 1);
  if (version === undefined) return undefined;
  const lines = inOrder([...parts.lines, ...sharedLines(parts)]);
  const missing = BigInt(version.minimumMicros) - sum(lines);
  if (missing > 0n && sum(lines.filter((line) => line.micros > 0n)) > 0n) {
    lines.push(plainLine("minimum", tenant, version.id, missing));
  }
  lines.push(...inOrder(parts.corrections));
  const chargesMicros = sum(lines.filter((line) => line.micros > 0n));
  const creditsMicros = sum(lines.filter((line) => line.micros < 0n));
  const exact = chargesMicros + creditsMicros;
  const minor = minorMicros(version.currency);
  const totalMicros = divideRounded(exact, minor, version.rounding) * minor;
  return {
    ...{ tenant, period, currency: version.currency, mode, lines, chargesMicros, creditsMicros },
    ...{ roundingMicros: totalMicros - exact, totalMicros, ratingVersion },
  };
}

function sharedLines({ tenant, shared, book, windows, period }: InvoiceParts): InvoiceLine[] {
  const lines: InvoiceLine[] = [];
  for (const each of shared) {
    if (each.tenant !== tenant) continue;
    if (each.kind === "idle") {
      lines.push({ ...plainLine("idle", tenant, each.version, each.micros ?? 0n), model: each.model });
      continue;
    }
    const version = book.versions.find(({ id }) => id === each.version)!;
    const terms = termsAt(book, windows, Math.max(version.fromAt, period.fromAt), tenant)!;
    const line = lentLine(each, { ...terms, version, perMille: each.perMille });
    if (line.micros !== 0n) lines.push(line);
  }
  return lines;
}

/** The credit for what a tenant lent, at the price of the terms. */
function lentLine({ tenant, model, version, perMille, quantity }: Shared, terms: PriceTerms): InvoiceLine {
  const key = { ...noGpu, kind: "lent", account: tenant, model, version, perMille } as const;
  return lineOf({ key, price: lentPrice(terms, model), rounding: terms.version.rounding }, quantity);
}

function plainLine(kind: "idle" | "minimum", account: string, version: string, micros: Micros): InvoiceLine {
  return { ...noGpu, kind, account, version, quantity: 0n, numerator: 0n, denominator: 1n, micros };
}

function sum(lines: readonly InvoiceLine[]): Micros {
  let micros = 0n;
  for (const line of lines) micros += line.micros;
  return micros;
}

/** The one spelling of an invoice: equal invoices have equal bytes (S11). */
export function invoiceText(invoice: Invoice): string {
  return canonicalJson(spelled(invoice));
}

/** Amounts that may pass 2^53 as text, for the journal and the network. */
export function spelled(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, spelled(field)]));
}

/** The line that `spelled` wrote. */
export function readLine(line: SpelledLine): InvoiceLine {
  const { quantity, numerator, denominator, micros } = line;
  return {
    ...line,
    quantity: BigInt(quantity),
    numerator: BigInt(numerator),
    denominator: BigInt(denominator),
    micros: BigInt(micros),
  };
}
