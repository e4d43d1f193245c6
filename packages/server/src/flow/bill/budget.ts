import type { Budget, BudgetStanding, BudgetStop, Instant } from "@tessera/core";
import type { ControlPlane } from "../control.ts";
import { billingZone } from "./bill.ts";
import { spentBy } from "./cost.ts";
import { forecast, rateSince } from "./forecast.ts";
import { periodAt } from "./periods.ts";

/** Where budgets stand: spent so far, what it will come to, and when the limit is reached at the rate of now. */
export async function budgetStandings(
  control: Pick<ControlPlane, "state" | "rated">,
  budgets: readonly Budget[],
  now: Instant,
): Promise<BudgetStanding[]> {
  if (budgets.length === 0) return [];
  const { state } = control;
  const month = periodAt(now, billingZone(state));
  const first = state.books.versions[0]?.fromAt ?? now;
  const fromOf = ({ every }: Budget) => (every === "month" ? month.fromAt : Math.min(first, now));
  const spent = new Map<string, bigint>();
  for (const every of ["month", "once"] as const) {
    const accounts = budgets.filter((budget) => budget.every === every).map(({ account }) => account);
    if (accounts.length === 0) continue;
    const from = every === "month" ? month.fromAt : Math.min(first, now);
    const spentSince = await spentBy(control, accounts, { fromAt: from, toAt: now });
    for (const [account, micros] of spentSince) spent.set(account, micros);
  }
  const since = rateSince(month, now);
  const accounts = budgets.map(({ account }) => account);
  const last = { fromAt: since, toAt: now };
  const recent = now > since ? await spentBy(control, accounts, last) : new Map<string, bigint>();
  return budgets.map((budget) => {
    const { account, limitMicros } = budget;
    const spentMicros = spent.get(account) ?? 0n;
    const rate = recent.get(account) ?? 0n; // in `now - since`
    const span = BigInt(Math.max(1, now - since));
    const forecastMicros = forecast(spentMicros, rate, since, now, month);
    const left = limitMicros - spentMicros;
    const spentAt = left > 0n && rate > 0n ? now + Number((left * span) / rate) : undefined;
    return {
      ...{ account, fromAt: fromOf(budget), toAt: month.toAt, limitMicros, spentMicros, forecastMicros },
      ...(spentAt !== undefined && spentAt < month.toAt && { spentAt }),
      stopped: state.books.reached.get(account)?.stop ?? "none",
    };
  });
}

/** What follows from a standing: which part of the limit was passed, and what stops. */
export function reachedBy(
  { alertsPerMille, stop, limitMicros }: Budget,
  spentMicros: bigint,
): { stop: BudgetStop | "none"; perMille: number } {
  const passed = [...alertsPerMille, 1000].filter((perMille) => spentMicros * 1000n >= limitMicros * BigInt(perMille));
  const perMille = Math.max(0, ...passed);
  return { stop: perMille >= 1000 ? stop : "none", perMille };
}
