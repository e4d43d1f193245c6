import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { BudgetStop } from "../money/budget.ts";
import { pathUp, tenantOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";
import { type PriceHit, priceHit } from "./price.ts";

/** A budget, or the credit of a tenant, that keeps a job from starting. */
export interface BudgetHit {
  readonly account: string;
  readonly stop: BudgetStop;
  readonly of: "budget" | "credit";
}

/** The first spent budget on the path that forbids a start, as burst or at all; then the tenant's credit. */
export function budgetHit(state: State, account: AccountNo, burst: boolean): BudgetHit | undefined {
  const { reached, creditReached } = state.books;
  if (reached.size + creditReached.size === 0) return undefined;
  for (const { path } of pathUp(state, account)) {
    const stop = reached.get(path)?.stop ?? "none";
    if (stop === "refuse-new" || stop === "stop-all" || (stop === "stop-burst" && burst))
      return { account: path, stop, of: "budget" };
  }
  if (!burst || creditReached.size === 0) return undefined;
  // A guarantee is paid for all the same: holding back what it covers would save nothing.
  const { path } = tenantOf(state, account);
  return creditReached.has(path) ? { account: path, stop: "stop-burst", of: "credit" } : undefined;
}

/** Money that keeps a job from starting: a spent budget on its path, or a price above the most that it pays. */
export type MoneyHit =
  | { readonly kind: "budget"; readonly hit: BudgetHit }
  | { readonly kind: "price"; readonly hit: PriceHit };

/** What an alternative of a job on a model has against it, as burst or inside a guarantee. */
export function moneyHit(
  state: State,
  job: Pick<Job, "account" | "spec">,
  { choice, model }: { readonly choice: number; readonly model: number },
  burst: boolean,
  now: Instant,
): MoneyHit | undefined {
  const budget = budgetHit(state, job.account, burst);
  if (budget !== undefined) return { kind: "budget", hit: budget };
  const price = burst ? priceHit(state, job, choice, model, now) : undefined;
  return price === undefined ? undefined : { kind: "price", hit: price };
}
