import { type BilledAs, currencyOf, type Instant, type ReadonlyState } from "@tessera/core";
import type { ControlPlane } from "../control.ts";
import { modeOf } from "./bill.ts";
import { spentBy } from "./cost.ts";

/** What a tenant owes: invoiced and not paid, set aside, and used since its last invoice. Paid in advance is below zero. */
export interface CreditStanding {
  readonly tenant: string;
  readonly owedMicros: bigint;
  readonly heldMicros: bigint;
  readonly openMicros: bigint;
  /** What is left up to the credit limit; absent where there is none. */
  readonly leftMicros?: bigint;
}

type Costing = Pick<ControlPlane, "state" | "rated">;

/** How a tenant is billed now, by real invoices unless that was set. */
export function billedAsNow(state: ReadonlyState, tenant: string): BilledAs {
  return { ...state.books.tenants.get(tenant), mode: modeOf(state, tenant) };
}

/** Where tenants stand with their credit. */
export async function creditStandings(
  control: Costing,
  tenants: readonly string[],
  now: Instant,
): Promise<CreditStanding[]> {
  const found: CreditStanding[] = [];
  for (const tenant of tenants)
    found.push(await creditStanding(control, tenant, billedAsNow(control.state, tenant), now));
  return found;
}

/** Where a tenant would stand if it were billed like this. What is not invoiced yet is billed as its tenant is then. */
export async function creditStanding(
  control: Costing,
  tenant: string,
  { mode, creditLimitMicros: limit }: BilledAs,
  now: Instant,
): Promise<CreditStanding> {
  const { books } = control.state;
  const currency = currencyOf(books.versions);
  const first = books.versions[0]?.fromAt ?? now;
  const from = Math.min(now, Math.max(first, books.closedUntil.get(tenant) ?? 0));
  const isShown = mode === "showback";
  const open = isShown ? 0n : (await spentBy(control, [tenant], { fromAt: from, toAt: now })).get(tenant)!;
  const balance = (which: string) => books.balances.get(`${currency} tenant/${tenant}/${which}`) ?? 0n;
  const [owed, held] = [balance("owed"), -balance("held")];
  const left = isShown || limit === undefined ? {} : { leftMicros: limit - owed - open };
  return { tenant, owedMicros: owed, heldMicros: held, openMicros: open, ...left };
}

/** Whether the credit is used up, so that burst jobs of the tenant stop. */
export function isUsedUp({ leftMicros }: CreditStanding): boolean {
  return leftMicros !== undefined && leftMicros <= 0n;
}
