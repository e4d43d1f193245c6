import type { Instant, LineKey } from "@tessera/core";
import { isWithin } from "../../store/paths.ts";
import type { ControlPlane } from "../control.ts";
import { amountsOn } from "./cost.ts";

/** What is asked of money over time. */
export interface SpendAsk {
  readonly from: Instant;
  readonly to: Instant;
  /** Account paths; what lies below them is included. The empty path is everything. */
  readonly accounts: readonly string[];
  readonly keyOf: (line: Pick<LineKey, "kind" | "account" | "model">) => string;
}

export interface Spend {
  readonly times: readonly Instant[];
  /** Micros of each day by key, the largest in all first. */
  readonly lines: readonly { readonly key: string; readonly micros: readonly bigint[] }[];
}

/** What was spent on each calendar day (UTC), by the same rating and the same division as costs by day. */
export async function spendByDay(control: Pick<ControlPlane, "rated">, ask: SpendAsk, now: Instant): Promise<Spend> {
  const { from, to, accounts, keyOf } = ask;
  const mine = (account: string) => accounts.includes("") || accounts.some((path) => isWithin(account, path));
  const span = { fromAt: from, toAt: Math.min(to, now) };
  const rated = await control.rated.period({ label: "", zone: "UTC", ...span }, now);
  const days = await control.rated.days(span);
  const lines = new Map<string, bigint[]>();
  for (const { day, line, micros } of amountsOn(days, rated, mine)) {
    const key = keyOf(line);
    const values = lines.get(key) ?? days.map(() => 0n);
    lines.set(key, values);
    values[day]! += micros;
  }
  const sorted = [...lines]
    .map(([key, micros]) => ({ key, micros, all: micros.reduce((sum, each) => sum + each, 0n) }))
    .sort((a, b) => (a.all === b.all ? (a.key < b.key ? -1 : 1) : a.all < b.all ? 1 : -1));
  return { times: days.map(({ fromAt }) => fromAt), lines: sorted.map(({ key, micros }) => ({ key, micros })) };
}
