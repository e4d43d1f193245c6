import {
  type Contract,
  type Invoice,
  type InvoiceLine,
  invoiceText,
  type PriceVersion,
  perHour,
  type SpelledEntry,
} from "@tessera/core";
import type { EntryShape, InvoiceShape, InvoiceSummary, LineShape, PriceBookShape } from "@tessera/wire";
import type { Seal } from "../access/seal.ts";
import { hours } from "./hours.ts";
import { timestamp } from "./quantities.ts";

export function renderPrices(
  versions: readonly PriceVersion[],
  contracts: readonly (Contract & { readonly revision: string })[],
): Pick<PriceBookShape, "versions" | "contracts"> {
  return {
    versions: versions.map(({ fromAt, zone, timesOfDay, unbilled, idle, gpus, ...rest }) => ({
      ...rest,
      gpus: [...gpus],
      unbilled: [...unbilled],
      idle: { policy: idle.policy, gpus: [...idle.gpus] },
      from: timestamp(fromAt),
      tz: zone ?? "UTC",
      timesOfDay: timesOfDay.map(({ zone: tz, days, fromMinute, toMinute, perMille }) => ({
        tz,
        days: [...days],
        from: clockOf(fromMinute),
        to: clockOf(toMinute),
        perMille,
      })),
    })),
    contracts: contracts.map(({ tenant, fromAt, toAt, gpus, perMille, revision }) => ({
      ...{ tenant, from: timestamp(fromAt), to: timestamp(toAt), gpus: [...gpus], perMille, revision },
    })),
  };
}

/** All contracts of a tenant have one revision, since a new one can replace several; undefined where there is none. */
export function contractsTag(seal: Seal, contracts: Iterable<Contract>, tenant: string): string | undefined {
  const own = [...contracts].filter((each) => each.tenant === tenant);
  return own.length === 0 ? undefined : seal.tag(`contracts ${JSON.stringify(own)}`, 0);
}

function clockOf(minuteOfDay: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`;
}

const units = { cpu: "core-hour", memory: "gib-hour", minimum: "none", idle: "none" } as const;

export function renderLine(line: InvoiceLine, no: number): LineShape {
  const { kind, account, model, profile, isolation, topology, version, perMille, quantity, pool, poolPerMille } = line;
  const { corrects, correctsPeriod, correctsKind = kind } = line;
  return {
    ...{ line: no, kind, account, model, profile, isolation, topology, version, perMille },
    ...(pool !== undefined && poolPerMille !== undefined && { pool, poolPerMille }),
    quantity: String(quantity),
    unit: units[correctsKind as keyof typeof units] ?? "gpu-hour",
    hours: hours(correctsKind, quantity),
    unitPriceMicros: line.denominator === 1n ? String(line.numerator) : `${line.numerator}/${line.denominator}`,
    micros: String(line.micros),
    ...(corrects !== undefined && { corrects }),
    ...(correctsPeriod !== undefined && { correctsPeriod }),
  };
}

/** The arithmetic of a line in words that can be typed into a calculator. */
export function arithmeticOf({ kind, correctsKind, quantity, numerator, denominator, micros }: InvoiceLine): string {
  if (quantity === 0n) return `${micros} micros`;
  const price = denominator === 1n ? String(numerator) : `${numerator} / ${denominator}`;
  return `${quantity} / ${perHour(correctsKind ?? kind)} x ${price} = ${micros} micros`;
}

/** An invoice, issued or not. */
export function renderInvoice(
  invoice: Invoice,
  issued?: { readonly number: string; readonly at: number; readonly extractRoot: string },
): InvoiceShape {
  return {
    ...summaryOf(invoice, issued),
    lines: invoice.lines.map((line, i) => renderLine(line, i + 1)),
    chargesMicros: String(invoice.chargesMicros),
    creditsMicros: String(invoice.creditsMicros),
    roundingMicros: String(invoice.roundingMicros),
    ratingVersion: invoice.ratingVersion,
    extractRoot: issued?.extractRoot ?? "",
    text: invoiceText(invoice),
  };
}

export function summaryOf(
  {
    tenant,
    period,
    currency,
    mode,
    totalMicros,
  }: Pick<Invoice, "tenant" | "period" | "currency" | "mode" | "totalMicros">,
  issued?: { readonly number: string; readonly at: number },
): InvoiceSummary {
  return {
    number: issued?.number ?? "",
    ...{ tenant, period: period.label, from: timestamp(period.fromAt), to: timestamp(period.toAt), tz: period.zone },
    ...{ currency, mode, status: issued === undefined ? "draft" : "issued" },
    ...(issued !== undefined && { issuedAt: timestamp(issued.at) }),
    totalMicros: String(totalMicros),
  };
}

export function renderEntry({ at, legs, ...entry }: SpelledEntry): EntryShape {
  return { ...entry, at: timestamp(at), legs: [...legs] };
}
