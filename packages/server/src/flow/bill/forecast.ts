import type { Instant, Period } from "@tessera/core";

/** How far back the rate of now is taken from. */
const rateOverMs = 10 * 60_000;

/** Since when the rate of now is measured: never from before the month. */
export function rateSince(month: Pick<Period, "fromAt">, now: Instant): Instant {
  return Math.max(now - rateOverMs, month.fromAt);
}

/** What it comes to at the end of the month, at the rate since `since`. */
export function forecast(
  spentMicros: bigint,
  recentMicros: bigint,
  since: Instant,
  now: Instant,
  month: Pick<Period, "toAt">,
): bigint {
  return spentMicros + (recentMicros * BigInt(Math.max(0, month.toAt - now))) / BigInt(Math.max(1, now - since));
}
