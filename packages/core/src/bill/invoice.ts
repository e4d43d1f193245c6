import { canonicalJson } from "../journal/canonical.ts";
import { must } from "../model/must.ts";
import type { Instant } from "../model/units.ts";
import type { InvoiceLine } from "./charge.ts";
import { lentPrice, type PriceTerms, termsAt } from "./cost.ts";
import { divideRounded, type Micros, minorMicros } from "./money.ts";
import { type PriceBook, type PriceWindow, versionAt } from "./price.ts";
import { inInvoiceOrder, invoiceLine, noGpu } from "./rate-book.ts";
import type { Shared } from "./totals.ts";

export interface Period {
  /** `2026-11`. */
  readonly label: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** The zone in which the period begins and ends; only for display. */
  readonly zone: string;
}

/** Increases when the same input would give another amount. An invoice is recomputed under the version it names. */
export const ratingVersion = 1;

/** What a tenant owes for a period. A pure function of the metered records and the price book. */
export interface Invoice {
  readonly tenant: string;
  readonly period: Period;
  readonly currency: string;
  /** With `chargeback` the tenant owes the total, with `showback` it is only shown. */
  readonly mode: "chargeback" | "showback";
  readonly lines: readonly InvoiceLine[];
  /** Sum of the lines above zero, sum of the lines below, and what rounding to a payable amount adds. */
  readonly chargesMicros: Micros;
  readonly creditsMicros: Micros;
  readonly roundingMicros: Micros;
  readonly totalMicros: Micros;
  readonly ratingVersion: number;
}

export interface InvoiceParts {
  readonly tenant: string;
  readonly period: Period;
  readonly mode: Invoice["mode"];
  readonly book: PriceBook;
  readonly windows: readonly PriceWindow[];
  /** From the tenant's own records. */
  readonly lines: readonly InvoiceLine[];
  /** From the whole fleet; those of other tenants are ignored. */
  readonly shared: readonly Shared[];
  readonly corrections: readonly InvoiceLine[];
}

/** Builds an invoice; undefined if no price list applies at the end of the period. */
export function buildInvoice(parts: InvoiceParts): Invoice | undefined {
  const { tenant, period, mode, book } = parts;
  const version = versionAt(book, period.toAt - 1);
  if (version === undefined) return undefined;
  const lines = inInvoiceOrder([...parts.lines, ...sharedLines(parts)]);
  const missing = BigInt(version.minimumMicros) - sum(lines);
  if (missing > 0n && sum(lines.filter((line) => line.micros > 0n)) > 0n) {
    lines.push(plainLine("minimum", tenant, version.id, missing));
  }
  lines.push(...inInvoiceOrder(parts.corrections));
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
    const version = must(
      book.versions.find(({ id }) => id === each.version),
      `the price list ${each.version} is in the book`,
    );
    const at = Math.max(version.fromAt, period.fromAt);
    const terms = must(termsAt(book, windows, at, tenant), "a price list applies from when it begins");
    const line = lentLine(each, { ...terms, version, perMille: each.perMille });
    if (line.micros !== 0n) lines.push(line);
  }
  return lines;
}

/** The credit for lent GPU time at the given terms. */
function lentLine({ tenant, model, version, perMille, quantity }: Shared, terms: PriceTerms): InvoiceLine {
  const key = { ...noGpu, kind: "lent", account: tenant, model, version, perMille } as const;
  return invoiceLine({ key, price: lentPrice(terms, model), rounding: terms.version.rounding }, quantity);
}

function plainLine(kind: "idle" | "minimum", account: string, version: string, micros: Micros): InvoiceLine {
  return { ...noGpu, kind, account, version, quantity: 0n, numerator: 0n, denominator: 1n, micros };
}

function sum(lines: readonly InvoiceLine[]): Micros {
  let micros = 0n;
  for (const line of lines) micros += line.micros;
  return micros;
}

/** The canonical text of an invoice: equal invoices have equal bytes (S11). */
export function invoiceText(invoice: Invoice): string {
  return canonicalJson(spelled(invoice));
}

/** The value with every BigInt as text, for the journal and the network. */
export function spelled(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, spelled(field)]));
}

/** An invoice line as `spelled` writes it. */
export type SpelledLine = Omit<InvoiceLine, "quantity" | "numerator" | "denominator" | "micros"> & {
  readonly [Field in "quantity" | "numerator" | "denominator" | "micros"]: string;
};

/** The inverse of `spelled` for a line. */
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
