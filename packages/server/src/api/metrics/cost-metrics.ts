import { type BudgetStanding, type Instant, ownSince, type ReadonlyState, type Totals, type User } from "@tessera/core";
import { may } from "../../access/policy.ts";
import { billingZone } from "../../flow/bill/bill.ts";
import { budgetStandings } from "../../flow/bill/budget.ts";
import { type CreditStanding, creditStandings } from "../../flow/bill/credit.ts";
import type { Span } from "../../flow/bill/own-past.ts";
import { periodAt } from "../../flow/bill/periods.ts";
import type { ControlPlane } from "../../flow/control.ts";
import { standingAccount } from "../../flow/find/find-job.ts";
import { escaped, MetricsText } from "./metrics-text.ts";

/** Prometheus asks every few seconds: what was found is shown for so long. */
const keptMs = 15_000;

export interface Costs {
  readonly currency: string;
  /** By account and kind of charge, in micros, since the month began. */
  readonly charges: readonly AccountCharge[];
  readonly budgets: readonly BudgetStanding[];
  readonly credit: readonly CreditStanding[];
}

interface AccountCharge {
  readonly account: string;
  readonly kind: string;
  readonly micros: bigint;
  /** An instant at which the path was that of the account which is charged. */
  readonly at: Instant;
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
    return textOf(await this.#found!, now, (path, at) => mayRead(state, user, path, at));
  }
}

/** Costs, budgets and credit of the running month. */
export async function gatherCosts(control: ControlPlane, now: Instant): Promise<Costs> {
  const { books } = control.state;
  const { fromAt } = periodAt(now, billingZone(control.state));
  const limited = [...books.tenants].filter(([, { creditLimitMicros }]) => creditLimitMicros !== undefined);
  return {
    currency: books.versions.at(-1)!.currency,
    charges: await chargesOf(control, { fromAt, toAt: now }),
    budgets: await budgetStandings(control, [...books.budgets.values()], now),
    credit: await creditStandings(
      control,
      limited.map(([tenant]) => tenant),
      now,
    ),
  };
}

/** What is charged under a path that was reused within the span is told apart: what is older is not the account's own. */
async function chargesOf({ state, rated }: ControlPlane, { fromAt, toAt }: Span): Promise<AccountCharge[]> {
  const whole = await rated.totals({ fromAt, toAt });
  const bySince = new Map<Instant, AccountCharge[]>();
  const charges: AccountCharge[] = [];
  for (const charge of summed(whole, toAt)) {
    const since = ownSince(state, standingAccount(state, charge.account, toAt));
    if (since <= fromAt) charges.push(charge);
    else bySince.set(since, [...(bySince.get(since) ?? []), charge]);
  }
  for (const [since, all] of bySince) {
    const own = summed(await rated.totals({ fromAt: since, toAt }), toAt);
    for (const charge of all) {
      const now = own.find(({ account, kind }) => account === charge.account && kind === charge.kind);
      if (now !== undefined) charges.push(now);
      charges.push({ ...charge, micros: charge.micros - (now?.micros ?? 0n), at: since - 1 });
    }
  }
  return charges;
}

function summed(totals: Totals, at: Instant): AccountCharge[] {
  const lines = totals.tenants().flatMap((tenant) => totals.linesOf(tenant));
  return joined(lines.map(({ account, kind, micros }) => ({ account, kind, micros, at })));
}

/** One charge for each account and kind. */
function joined(charges: readonly AccountCharge[]): AccountCharge[] {
  const sums = new Map<string, AccountCharge>();
  for (const charge of charges) {
    const key = `${charge.account} ${charge.kind}`;
    sums.set(key, { ...charge, micros: (sums.get(key)?.micros ?? 0n) + charge.micros });
  }
  return [...sums.values()];
}

function mayRead(state: ReadonlyState, user: User, path: string, at: Instant): boolean {
  return may(state, user, "cost.read", standingAccount(state, path, at).no);
}

function textOf(
  { currency, charges, budgets, credit }: Costs,
  now: Instant,
  sees: (path: string, at: Instant) => boolean,
): string {
  const out = new MetricsText();
  const units = (micros: bigint) => Number(micros) / 1_000_000;
  const labels = (account: string, more = "") => `account="${escaped(account)}",currency="${currency}"${more}`;
  out.family("tessera_account_cost", "gauge", "Cost since the month began, by kind of charge; a credit is below zero.");
  for (const { account, kind, micros } of joined(charges.filter((charge) => sees(charge.account, charge.at))))
    out.value("tessera_account_cost", labels(account, `,kind="${kind}"`), units(micros));
  const seen = budgets.filter(({ account }) => sees(account, now));
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
    if (leftMicros !== undefined && sees(tenant, now))
      out.value("tessera_credit_left", labels(tenant), units(leftMicros));
  return out.text;
}
