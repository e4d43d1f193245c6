import { type Account, day, type Instant, type LineKey } from "@tessera/core";
import type { ControlPlane } from "../control.ts";
import { amountsOn } from "./cost.ts";
import { ownParts } from "./own-past.ts";
import { daysIn } from "./rated.ts";

/** What is asked of money over time. */
export interface SpendAsk {
  readonly from: Instant;
  readonly to: Instant;
  /** What lies below them is included. The root is everything. */
  readonly accounts: readonly Account[];
  readonly keyOf: (line: Pick<LineKey, "kind" | "account" | "model">) => string;
}

export interface Spend {
  readonly times: readonly Instant[];
  /** Micros of each day by key, the largest in all first. */
  readonly lines: readonly { readonly key: string; readonly micros: readonly bigint[] }[];
}

/** What was spent on each calendar day (UTC), by the same rating and the same division as costs by day. */
export async function spendByDay(
  { state, rated }: Pick<ControlPlane, "state" | "rated">,
  { from, to, accounts, keyOf }: SpendAsk,
  now: Instant,
): Promise<Spend> {
  const span = { fromAt: from, toAt: Math.min(to, now) };
  const times = daysIn(span);
  const lines = new Map<string, bigint[]>();
  for (const { fromAt, toAt, mine } of ownParts(state, accounts, span)) {
    const part = { fromAt, toAt };
    const first = dayNo(fromAt) - dayNo(from);
    const whole = await rated.period({ label: "", zone: "UTC", ...part }, now);
    for (const { day: no, line, micros } of amountsOn(await rated.days(part), whole, mine)) {
      const key = keyOf(line);
      const values = lines.get(key) ?? times.map(() => 0n);
      lines.set(key, values);
      values[first + no]! += micros;
    }
  }
  const sorted = [...lines]
    .map(([key, micros]) => ({ key, micros, all: micros.reduce((sum, each) => sum + each, 0n) }))
    .sort((a, b) => (a.all === b.all ? (a.key < b.key ? -1 : 1) : a.all < b.all ? 1 : -1));
  return { times, lines: sorted.map(({ key, micros }) => ({ key, micros })) };
}

function dayNo(at: Instant): number {
  return Math.floor(at / day);
}
