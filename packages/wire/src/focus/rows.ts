import { exponentOf, shareOut } from "@tessera/core";
import { correctedBy, decimalText } from "../money.ts";
import type { InvoiceShape, LineExplanation, LineShape } from "../shapes/money.ts";
import type { FocusRow } from "./columns.ts";

/** An invoice with each of its lines taken apart. */
export interface FocusInput {
  readonly invoice: InvoiceShape;
  readonly explanations: readonly LineExplanation[];
  /** Whose fleet it is. */
  readonly provider: string;
}

type Hour = LineExplanation["hours"][number];

/**
 * The rows of an invoice: one for each priced hour of each line, divided over the jobs that used it where that is
 * known. They add up to the invoice to the last micro; what rounding to a payable amount adds is a row of its own.
 */
export function focusRows({ invoice, explanations, provider }: FocusInput): FocusRow[] {
  const whole = headOf(invoice, provider);
  const rows = explanations.flatMap((explanation) =>
    explanation.hours.flatMap((hour) => hourRows(explanation, hour).map((row) => ({ ...whole, ...row }))),
  );
  if (BigInt(invoice.roundingMicros) === 0n) return rows;
  return [...rows, { ...whole, ...roundingRow(invoice) }];
}

function headOf(invoice: InvoiceShape, provider: string): FocusRow {
  return {
    BillingAccountId: invoice.tenant,
    BillingAccountName: invoice.tenant,
    BillingAccountType: "Tenant",
    BillingCurrency: invoice.currency,
    BillingPeriodStart: stamp(invoice.from),
    BillingPeriodEnd: stamp(invoice.to),
    ...(invoice.number !== "" && { InvoiceId: invoice.number }),
    InvoiceIssuerName: provider,
    ProviderName: provider,
    PublisherName: provider,
    PricingCurrency: invoice.currency,
    ServiceCategory: "Compute",
    ServiceSubcategory: "Other (Compute)",
    ServiceName: "GPU fleet",
  };
}

/** One hour of a line, whole or in a part for each job. */
function hourRows({ line, stretches }: LineExplanation, hour: Hour): FocusRow[] {
  const used = new Map<string, bigint>();
  for (const { job, gpus, from, to } of stretches) {
    const overlapMs = Math.min(Date.parse(to), Date.parse(hour.to)) - Math.max(Date.parse(from), Date.parse(hour.from));
    if (job !== "" && overlapMs > 0) used.set(job, (used.get(job) ?? 0n) + BigInt(overlapMs * Math.max(1, gpus)));
  }
  const base = { ...lineRow(line), ChargePeriodStart: stamp(hour.from), ChargePeriodEnd: stamp(hour.to) };
  const micros = BigInt(hour.micros);
  const quantity = BigInt(hour.quantity);
  if (used.size === 0) return [{ ...base, ...amounts(line, micros, quantity) }];
  const jobs = [...used.keys()];
  const weights = [...used.values()];
  const costs = shareOut(micros, weights);
  const quantities = shareOut(quantity, weights);
  const ratios = shareOut(ratioUnits, weights);
  return jobs.map((job, i) => ({
    ...base,
    ...amounts(line, costs[i]!, quantities[i]!),
    ResourceId: `${line.account}/${line.model}`,
    ResourceName: `${line.model} of ${line.account}`,
    ResourceType: "GPU",
    AllocatedMethodId: "gpu-unit-time",
    AllocatedMethodDetails: JSON.stringify({
      Elements: [
        {
          AllocatedRatio: Number(ratios[i]!) / Number(ratioUnits),
          UsageUnit: unitNames[line.unit],
          UsageQuantity: Number(quantityText(line, quantities[i]!)),
        },
      ],
    }),
    AllocatedResourceId: job,
    AllocatedResourceName: job,
    x_JobId: job,
  }));
}

const ratioUnits = 1_000_000_000n;

function amounts(line: LineShape, micros: bigint, quantity: bigint): FocusRow {
  const cost = decimal(micros);
  const hasQuantity = line.unit !== "none";
  return {
    BilledCost: cost,
    EffectiveCost: cost,
    ContractedCost: cost,
    ListCost: cost,
    PricingCurrencyEffectiveCost: cost,
    ...(hasQuantity && {
      PricingQuantity: quantityText(line, quantity),
      PricingUnit: unitNames[line.unit],
      ...(categories[line.kind]?.category === "Usage" && {
        ConsumedQuantity: quantityText(line, quantity),
        ConsumedUnit: unitNames[line.unit],
      }),
    }),
  };
}

interface Category {
  readonly category: "Usage" | "Credit" | "Adjustment";
  readonly frequency: "Usage-Based" | "Recurring" | "One-Time";
  readonly pricing?: "Standard" | "Committed" | "Dynamic" | "Other";
  readonly correction?: true;
}

/** Floors are committed, what is borrowed can be taken back and is dynamic, the rest is as listed. */
const categories: { readonly [kind: string]: Category } = {
  reserved: { category: "Usage", frequency: "Recurring", pricing: "Committed" },
  burst: { category: "Usage", frequency: "Usage-Based", pricing: "Dynamic" },
  cpu: { category: "Usage", frequency: "Usage-Based", pricing: "Standard" },
  memory: { category: "Usage", frequency: "Usage-Based", pricing: "Standard" },
  stranded: { category: "Usage", frequency: "Usage-Based", pricing: "Other" },
  idle: { category: "Usage", frequency: "Usage-Based", pricing: "Other" },
  minimum: { category: "Adjustment", frequency: "Recurring" },
  lent: { category: "Credit", frequency: "Usage-Based" },
  "lost-work": { category: "Credit", frequency: "One-Time" },
  correction: { category: "Adjustment", frequency: "One-Time", correction: true },
};

const unitNames = { "gpu-hour": "GPU-Hours", "core-hour": "Core-Hours", "gib-hour": "GiB-Hours", none: "" } as const;

function lineRow(line: LineShape): FocusRow {
  const { category, frequency, pricing, correction } = categories[line.kind] ?? categories.correction!;
  const sku = [line.kind, line.model, line.profile, line.isolation, line.topology]
    .filter((part) => part !== "")
    .join("/");
  const price = unitPrice(line);
  return {
    ChargeCategory: category,
    ChargeFrequency: frequency,
    ...(correction && { ChargeClass: "Correction" }),
    ...(pricing !== undefined && { PricingCategory: pricing }),
    ChargeDescription: descriptionOf(line),
    SkuId: sku,
    SkuMeter: line.kind,
    SkuPriceId: `${line.version}/${sku}/${line.perMille}${line.pool === undefined ? "" : `/${line.pool}/${line.poolPerMille}`}`,
    SkuPriceDetails: JSON.stringify({
      x_TimeOfDayPerMille: line.perMille,
      ...(line.isolation !== "" && { x_Isolation: line.isolation }),
      ...(line.topology !== "" && { x_Topology: line.topology }),
      ...(line.pool !== undefined && { x_Pool: line.pool, x_PoolPerMille: line.poolPerMille }),
    }),
    ...(price !== undefined && {
      ContractedUnitPrice: price,
      ListUnitPrice: price,
      PricingCurrencyContractedUnitPrice: price,
      PricingCurrencyListUnitPrice: price,
    }),
    SubAccountId: line.account,
    SubAccountName: line.account,
    SubAccountType: line.account.includes("/") ? "Project" : "Tenant",
    Tags: JSON.stringify(Object.fromEntries(line.account.split("/").map((name, i) => [`level${i + 1}`, name]))),
    ...(line.topology !== "" && { x_NvlinkPremium: line.topology }),
    ...((line.kind === "idle" || line.kind === "stranded") && { x_IdleAttribution: line.kind }),
    x_InvoiceLine: String(line.line),
  };
}

function descriptionOf(line: LineShape): string {
  const { kind, model, account } = line;
  const of = model === "" ? account : `${model} of ${account}`;
  const corrected = correctedBy(line);
  return corrected === "" ? `${kind}: ${of}` : `${kind} of ${corrected}: ${of}`;
}

function roundingRow(invoice: InvoiceShape): FocusRow {
  const cost = decimal(BigInt(invoice.roundingMicros));
  return {
    BilledCost: cost,
    EffectiveCost: cost,
    ContractedCost: cost,
    ListCost: cost,
    PricingCurrencyEffectiveCost: cost,
    ChargeCategory: "Adjustment",
    ChargeFrequency: "One-Time",
    ChargeDescription: `rounding to ${exponentOf(invoice.currency)} digits of ${invoice.currency}`,
    ChargePeriodStart: stamp(invoice.from),
    ChargePeriodEnd: stamp(invoice.to),
  };
}

/** Whole seconds, as FOCUS wants its times; charges are cut at milliseconds, so this only shortens what is shown. */
function stamp(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/** All digits that there are. */
function decimal(micros: bigint): string {
  return decimalText(micros, 6);
}

const perHour = {
  "gpu-hour": 21_000n * 3_600_000n,
  "core-hour": 3_600_000_000n,
  "gib-hour": 1_024n * 3_600_000n,
} as const;

/** In the line's unit with nine digits, rounded down. */
function quantityText({ unit }: LineShape, quantity: bigint): string {
  if (unit === "none") return "0";
  const nano = (quantity * 1_000_000_000n) / perHour[unit];
  const digits = (nano < 0n ? -nano : nano).toString().padStart(10, "0");
  return `${nano < 0n ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

function unitPrice({ unitPriceMicros, unit }: LineShape): string | undefined {
  const [numerator = "", denominator = "1"] = unitPriceMicros.split("/");
  if (unit === "none" || !/^\d+$/.test(numerator) || !/^[1-9]\d*$/.test(denominator)) return undefined;
  return decimal(BigInt(numerator) / BigInt(denominator));
}
