import { type BudgetStanding, type Instant, type ReadonlyState, tenantOfPath, type User } from "@tessera/core";
import { may } from "../../access/policy.ts";
import { billingZone } from "../../flow/bill/bill.ts";
import { budgetStandings } from "../../flow/bill/budget.ts";
import { type CreditStanding, creditStandings } from "../../flow/bill/credit.ts";
import { periodAt } from "../../flow/bill/periods.ts";
import type { ControlPlane } from "../../flow/control.ts";
import { escaped, MetricsText } from "./metrics-text.ts";

/** Prometheus asks every few seconds: what was found is shown for so long. */
const keptMs = 15_000;

export interface Costs {
  readonly currency: string;
  /** By account and kind of charge, in micros, since the month began. */
  readonly charges: readonly { readonly account: string; readonly kind: string; readonly micros: bigint }[];
  readonly budgets: readonly BudgetStanding[];
  readonly credit: readonly CreditStanding[];
}

/** What the running month has cost so far, as Prometheus text; each caller sees the accounts whose costs it may read. */
export class CostMetrics {
  #found: Promise<Costs> | undefined;
  #at = Number.NEGATIVE_INFINITY;

  /** `gather` finds the costs, here or on another thread. */
  async text(
    control: Pick<ControlPlane, "state" | "now">,
    user: User | undefined,
    gather: (now: Instant) => Promise<Costs>,
  ): Promise<string> {
    const { state } = control;
    if (user === undefined || state.books.versions.length === 0) return "";
    const now = control.now();
    if (now - this.#at > keptMs || now < this.#at) {
      this.#at = now;
      this.#found = gather(now);
      this.#found.catch(() => {
        this.#at = Number.NEGATIVE_INFINITY;
      });
    }
    return textOf(await this.#found!, (path) => mayRead(state, user, path));
  }
}

/** Costs, budgets and credit of the running month. */
export async function gatherCosts(control: ControlPlane, now: Instant): Promise<Costs> {
  const { books } = control.state;
  const { fromAt } = periodAt(now, billingZone(control.state));
  const totals = await control.rated.totals({ fromAt, toAt: now });
  const charges = new Map<string, { account: string; kind: string; micros: bigint }>();
  for (const tenant of totals.tenants()) {
    for (const { account, kind, micros } of totals.linesOf(tenant)) {
      const key = `${account} ${kind}`;
      const sum = charges.get(key)?.micros ?? 0n;
      charges.set(key, { account, kind, micros: sum + micros });
    }
  }
  const limited = [...books.tenants].filter(([, { creditLimitMicros }]) => creditLimitMicros !== undefined);
  return {
    currency: books.versions.at(-1)!.currency,
    charges: [...charges.values()],
    budgets: await budgetStandings(control, [...books.budgets.values()], now),
    credit: await creditStandings(
      control,
      limited.map(([tenant]) => tenant),
      now,
    ),
  };
}

function mayRead(state: ReadonlyState, user: User, path: string): boolean {
  const account = state.accountByPath.get(path) ?? state.accountByPath.get(tenantOfPath(path));
  return account !== undefined && may(state, user, "cost.read", account.no);
}

function textOf({ currency, charges, budgets, credit }: Costs, sees: (path: string) => boolean): string {
  const out = new MetricsText();
  const units = (micros: bigint) => Number(micros) / 1_000_000;
  const labels = (account: string, more = "") => `account="${escaped(account)}",currency="${currency}"${more}`;
  out.family("tessera_account_cost", "gauge", "Cost since the month began, by kind of charge; a credit is below zero.");
  for (const { account, kind, micros } of charges)
    if (sees(account)) out.value("tessera_account_cost", labels(account, `,kind="${kind}"`), units(micros));
  const seen = budgets.filter(({ account }) => sees(account));
  const budgetFamilies = [
    ["limit", "What an account may spend in a period.", ({ limitMicros }: BudgetStanding) => limitMicros],
    ["spent", "What it has spent of that.", ({ spentMicros }: BudgetStanding) => spentMicros],
    ["forecast", "What it will have spent at the rate of now.", ({ forecastMicros }: BudgetStanding) => forecastMicros],
  ] as const;
  for (const [name, help, micros] of budgetFamilies) {
    out.family(`tessera_budget_${name}`, "gauge", help);
    for (const standing of seen) out.value(`tessera_budget_${name}`, labels(standing.account), units(micros(standing)));
  }
  out.family("tessera_credit_left", "gauge", "What a tenant may owe beyond what it owes.");
  for (const { tenant, leftMicros } of credit)
    if (leftMicros !== undefined && sees(tenant)) out.value("tessera_credit_left", labels(tenant), units(leftMicros));
  return out.text;
}
