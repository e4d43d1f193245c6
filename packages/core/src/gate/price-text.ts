import type { JobSpec } from "../model/job.ts";
import { must } from "../model/must.ts";
import { moneyText } from "../money/amount.ts";
import type { UnitPrice } from "../money/unit-price.ts";
import type { PriceHit } from "./price.ts";

/** For the user of a job: what a GPU-hour costs, and the most that the job pays. */
export function priceText({ model, currency, price }: PriceHit, { maxPriceMicros }: JobSpec): string {
  if (price === undefined) return "what an hour costs at this time of day is being worked out";
  const text = (micros: bigint) => moneyText(micros, currency);
  const max = text(BigInt(must(maxPriceMicros, "only a job with a max_price waits for a price")));
  return `an hour of ${model} costs ${text(hourMicros(price))} beyond the guarantee, and its max_price is ${max}`;
}

/** The price of a GPU-hour in whole millionths, rounded up. */
export function hourMicros({ numerator, denominator }: UnitPrice): bigint {
  return (numerator + denominator - 1n) / denominator;
}
