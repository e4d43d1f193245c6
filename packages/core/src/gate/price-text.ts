import type { JobSpec } from "../model/job.ts";
import { moneyText } from "../money/amount.ts";
import type { UnitPrice } from "../money/unit-price.ts";
import type { PriceHit } from "./price.ts";

/** For its user: what an hour costs, and what it would pay. */
export function priceText({ model, currency, price }: PriceHit, { maxPriceMicros }: JobSpec): string {
  if (price === undefined) return "what an hour costs at this time of day is being worked out";
  const text = (micros: bigint) => moneyText(micros, currency);
  return `an hour of ${model} costs ${text(hourMicros(price))} beyond the guarantee, and its max_price is ${text(BigInt(maxPriceMicros!))}`;
}

/** The price of an hour in whole millionths, rounded up. */
export function hourMicros({ numerator, denominator }: UnitPrice): bigint {
  return (numerator + denominator - 1n) / denominator;
}
