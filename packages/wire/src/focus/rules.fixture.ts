import { focusColumns } from "./columns.ts";

/** A row as read back from the file: what is empty is null. */
export type ReadRow = { readonly [column: string]: string | null };

const mandatory = [
  ..."BilledCost BillingAccountId BillingCurrency BillingPeriodStart BillingPeriodEnd ChargeCategory".split(" "),
  ..."ChargeDescription ChargePeriodStart ChargePeriodEnd ContractedCost EffectiveCost InvoiceIssuerName ListCost".split(
    " ",
  ),
  ..."ProviderName PublisherName ServiceCategory ServiceName".split(" "),
];
const decimals = focusColumns.filter((name) => /Cost$|Quantity$|UnitPrice$/.test(name));
const times = ["BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd"];
const documents = ["Tags", "SkuPriceDetails", "AllocatedMethodDetails", "AllocatedTags"];
const allowed: { readonly [column: string]: readonly string[] } = {
  ChargeCategory: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"],
  ChargeClass: ["Correction"],
  ChargeFrequency: ["One-Time", "Recurring", "Usage-Based"],
  PricingCategory: ["Standard", "Dynamic", "Committed", "Other"],
  CapacityReservationStatus: ["Used", "Unused"],
  ServiceCategory: ["AI and Machine Learning", "Compute", "Storage", "Networking", "Other"],
};

/** What is wrong with a FOCUS 1.2 file by the rules of its columns; written from the specification, not from our rows. */
export function faultsOf(header: readonly string[], rows: readonly ReadRow[]): string[] {
  const faults: string[] = [];
  for (const name of mandatory) if (!header.includes(name)) faults.push(`the column ${name} is missing`);
  const custom = header.findIndex((name) => name.startsWith("x_"));
  if (custom >= 0 && header.slice(custom).some((name) => !name.startsWith("x_")))
    faults.push("x_ columns are not last");
  for (const [i, row] of rows.entries()) for (const fault of rowFaults(row)) faults.push(`row ${i + 1}: ${fault}`);
  faults.push(...ratioFaults(rows));
  return faults;
}

function* rowFaults(row: ReadRow): Generator<string> {
  for (const name of mandatory) if (row[name] === null || row[name] === undefined) yield `${name} is null`;
  for (const name of decimals) {
    const text = row[name];
    if (text !== null && text !== undefined && !/^-?\d+(\.\d+)?$/.test(text)) yield `${name} is no decimal: ${text}`;
  }
  for (const name of times)
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(row[name] ?? "")) yield `${name}: ${row[name]}`;
  if (!/^[A-Z]{3}$/.test(row.BillingCurrency ?? "")) yield `BillingCurrency ${row.BillingCurrency}`;
  for (const [name, values] of Object.entries(allowed)) {
    if (typeof row[name] === "string" && !values.includes(row[name])) yield `${name} may not be ${row[name]}`;
  }
  for (const name of documents)
    if (typeof row[name] === "string" && !isObject(row[name])) yield `${name} is no JSON object`;
  if (row.ChargePeriodStart! >= row.ChargePeriodEnd! && row.ChargeCategory === "Usage")
    yield "the charge period is empty";
  if (row.ChargePeriodStart! < row.BillingPeriodStart! && row.ChargeClass !== "Correction")
    yield "charged before the period";
  if (row.ChargeCategory === "Credit" && !(row.BilledCost ?? "").startsWith("-")) yield "a credit is not negative";
  if (row.ConsumedQuantity !== null && row.ChargeCategory !== "Usage") yield "only usage is consumed";
  if ((row.ConsumedQuantity === null) !== (row.ConsumedUnit === null)) yield "consumed quantity and unit go together";
  if ((row.PricingQuantity === null) !== (row.PricingUnit === null)) yield "pricing quantity and unit go together";
  if (row.SkuPriceId !== null && row.SkuId === null) yield "a price without its SKU";
  if ((row.SubAccountId === null) !== (row.SubAccountName === null)) yield "sub-account id and name go together";
  if (row.CapacityReservationStatus !== null && row.CapacityReservationId === null)
    yield "a status without a reservation";
  if (row.AllocatedResourceId !== null && row.AllocatedMethodId === null) yield "allocated without a method";
}

/** The parts of one origin charge make up the whole of it. */
function* ratioFaults(rows: readonly ReadRow[]): Generator<string> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    if (typeof row.AllocatedMethodDetails !== "string") continue;
    const { Elements } = JSON.parse(row.AllocatedMethodDetails) as { Elements: { AllocatedRatio: number }[] };
    const origin = `${row.InvoiceId} ${row.x_InvoiceLine} ${row.ChargePeriodStart} ${row.ChargePeriodEnd}`;
    for (const { AllocatedRatio } of Elements) sums.set(origin, (sums.get(origin) ?? 0) + AllocatedRatio);
  }
  for (const [origin, sum] of sums) if (Math.abs(sum - 1) > 1e-8) yield `the ratios of ${origin} add up to ${sum}`;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Reads RFC 4180 text back. */
export function readCsv(text: string): { header: string[]; rows: ReadRow[] } {
  const table: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === "" && quoted === undefined && plain === "") break;
    table.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === "\r\n") table.push([]);
  }
  const [header = [], ...lines] = table.filter((line) => line.length > 0);
  return { header, rows: lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i] || null]))) };
}
