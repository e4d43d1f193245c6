import type { JobSpec } from "../model/job.ts";
import { moneyText } from "../money/amount.ts";
import type { PriceHit } from "./price.ts";
/** For its user: what an hour costs, and what it would pay. */
export function priceText({ model, currency, price }: PriceHit, { maxPriceMicros }: JobSpec): string {
  if (price === undefined) return "what an hour costs at this time of day is being worked out";
  const text = (micros: bigint) => moneyText(micros, currency);
  const cost = text((price.numerator + price.denominator - 1n) / price.denominator);
  return `an hour of ${model} costs ${cost} beyond the guarantee, and its max_price is ${text(BigInt(maxPriceMicros!))}`;
}
