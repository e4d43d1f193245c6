import type { JobSpec } from "../model/job.ts";
import { must } from "../model/must.ts";
import { moneyText } from "../money/amount.ts";
import type { PriceHit } from "./price.ts";

/** For the user of a job: what a GPU-hour costs, and the most that the job pays. */
export function priceText({ model, currency, price }: PriceHit, { maxPriceMicros }: JobSpec): string {
  if (price === undefined) return "what an hour costs at this time of day is being worked out";
  const text = (micros: bigint) => moneyText(micros, currency);
  const cost = text((price.numerator + price.denominator - 1n) / price.denominator);
  const max = text(BigInt(must(maxPriceMicros, "only a job with a max_price waits for a price")));
  return `an hour of ${model} costs ${cost} beyond the guarantee, and its max_price is ${max}`;
}
