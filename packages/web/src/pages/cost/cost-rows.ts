import type { CostReport, LineExplanation } from "@tessera/wire";
import { spellDecimal } from "../../format/decimal.ts";
import { chargedModel } from "../../format/model-words.ts";
import { spellMoney } from "../../format/money.ts";

/** What a row of costs is of. Credits and shares of idle GPUs are of no job and no user, and most of them of no day. */
export function keyText(by: CostReport["by"], key: string): string {
  if (key !== "") return by === "model" ? chargedModel(key) : key;
  if (by === "day") return "not tied to a day";
  if (by === "account") return "the platform itself";
  return by === "model" ? "no GPU" : "credits, and shares of idle GPUs";
}

/** Costs as rows of a file, with amounts as whole micros. */
export function costRows({ by, rows, currency }: CostReport): object[] {
  return rows.map(({ key, name = "", gpuHours, micros, beforeMicros }) => ({
    ...{ [by]: key, ...(by === "job" && { name }), gpuHours, micros },
    ...(beforeMicros !== undefined && { beforeMicros }),
    currency,
  }));
}

const units = { "gpu-hour": "GPU-hours", "core-hour": "core-hours", "gib-hour": "GiB-hours", none: "" } as const;

/** How a line comes to its amount: `120.452 GPU-hours × 2,000.00 EUR = 240,903.01 EUR`. */
export function sumWords({ line, currency }: Pick<LineExplanation, "line" | "currency">, locale?: string): string {
  const { hours, unit, unitPriceMicros, micros } = line;
  const sum = spellMoney(micros, currency, locale);
  const [numerator = "", denominator = "1"] = unitPriceMicros.split("/");
  if (unit === "none" || !/^\d+$/.test(numerator) || !/^[1-9]\d*$/.test(denominator)) return sum;
  const price = spellMoney(String(BigInt(numerator) / BigInt(denominator)), currency, locale);
  const [sign, size] = hours.startsWith("-") ? ["\u2212", hours.slice(1)] : ["", hours];
  // The price of a credit is above zero, and so is what it is of.
  const isCredit = sign === "" && micros.startsWith("-");
  const amount = isCredit ? `${spellMoney(micros.slice(1), currency, locale)}, credited` : sum;
  return `${sign}${spellDecimal(size, locale)} ${units[unit]} × ${price} = ${amount}`;
}
