import { type Command, day, hour, type Instant, isRefusal, type PriceVersion } from "@tessera/core";
import { priceVersionOf } from "@tessera/server";

const currency = "EUR";
const reservedMicros = 1_400_000;

/** What a GPU of the day costs, as its owner would send it: less where it is reserved. */
export function pricesFrom(fromAt: Instant): PriceVersion {
  const version = priceVersionOf({
    ...{ id: "day", from: new Date(fromAt).toISOString(), currency, lenderPerMille: 100 },
    gpus: [{ model: "*", reservedMicros, burstMicros: 2_200_000 }],
  });
  if (isRefusal(version)) throw new Error(`${version.field} ${version.value} ${version.detail}`);
  return version;
}

/** What a tenant may spend in a month: its guarantee all the time, and half as much again. */
export function budgetOf(account: string, gpus: number): Extract<Command, { kind: "budget.set" }>["budget"] {
  const hours = (30 * day) / hour;
  const limitMicros = String((BigInt(Math.max(1, gpus)) * BigInt(hours) * BigInt(reservedMicros) * 3n) / 2n);
  return { account, currency, limitMicros, every: "month", alertsPerMille: [500, 900], stop: "alert" };
}
