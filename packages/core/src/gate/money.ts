import type { AccountNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { BudgetStop } from "../money/budget.ts";
import { pathUp, tenantOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { type PricedJob, type PriceHit, priceHit } from "./price.ts";

/** A spent budget, or the spent credit of a tenant, that keeps a job from starting. */
export interface BudgetHit {
  readonly account: string;
  readonly stop: BudgetStop;
  readonly of: "budget" | "credit";
}

/** The first spent budget on the path that forbids a start, of burst work or of any; else the tenant's credit. */
export function budgetHit(state: ReadonlyState, account: AccountNo, burst: boolean): BudgetHit | undefined {
  const { reached, creditReached } = state.books;
  if (reached.size + creditReached.size === 0) return undefined;
  for (const { path } of pathUp(state, account)) {
    const stop = reached.get(path)?.stop ?? "none";
    if (stop === "refuse-new" || stop === "stop-all" || (stop === "stop-burst" && burst))
      return { account: path, stop, of: "budget" };
  }
  if (!burst || creditReached.size === 0) return undefined;
  // A guarantee is paid for whether it is used or not: holding back a covered job would save nothing.
  const { path } = tenantOf(state, account);
  return creditReached.has(path) ? { account: path, stop: "stop-burst", of: "credit" } : undefined;
}

/** Money that keeps a job from starting: a spent budget on its path, or a price above its `max_price`. */
export type MoneyHit =
  | { readonly kind: "budget"; readonly hit: BudgetHit }
  | { readonly kind: "price"; readonly hit: PriceHit };

/** Whether money keeps an alternative of a job on a model from starting. Prices count for burst work only. */
export function moneyHit(
  state: ReadonlyState,
  job: PricedJob,
  { choice, model }: { readonly choice: number; readonly model: number },
  burst: boolean,
  now: Instant,
): MoneyHit | undefined {
  const budget = budgetHit(state, job.account, burst);
  if (budget !== undefined) return { kind: "budget", hit: budget };
  const price = burst ? priceHit(state, job, choice, model, now) : undefined;
  return price === undefined ? undefined : { kind: "price", hit: price };
}
