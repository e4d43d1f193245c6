import type { Job, JobCost } from "@tessera/wire";
import { spellMoney } from "../../format/money.ts";

/** What a job costs: so far and on, or in all once it has ended. */
export function costText({ cost, state }: { readonly cost: JobCost; readonly state: Job["state"] }): string {
  const { currency, micros, perHourMicros, atEndMicros } = cost;
  const parts = [`${spellMoney(micros, currency)} ${state === "ended" ? "in all" : "so far"}`];
  if (BigInt(perHourMicros) > 0n) parts.push(`${spellMoney(perHourMicros, currency)} an hour`);
  if (atEndMicros !== undefined) parts.push(`${spellMoney(atEndMicros, currency)} at its end`);
  return parts.join(", ");
}
