import { currencyOf, type Instant } from "@tessera/core";
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

/** Where tenants stand with their credit. */
export async function creditStandings(
  control: Pick<ControlPlane, "state" | "rated">,
  tenants: readonly string[],
  now: Instant,
): Promise<CreditStanding[]> {
  const { state } = control;
  const { books } = state;
  const currency = currencyOf(books.versions);
  const first = books.versions[0]?.fromAt ?? now;
  const found: CreditStanding[] = [];
  for (const tenant of tenants) {
    const from = Math.min(now, Math.max(first, books.closedUntil.get(tenant) ?? 0));
    const shown = modeOf(state, tenant) === "showback";
    const span = { fromAt: from, toAt: now };
    const open = shown ? 0n : ((await spentBy(control, [tenant], span)).get(tenant) ?? 0n);
    const balance = (which: string) => books.balances.get(`${currency} tenant/${tenant}/${which}`) ?? 0n;
    const [owed, held] = [balance("owed"), -balance("held")];
    const limit = books.tenants.get(tenant)?.creditLimitMicros;
    const left = shown || limit === undefined ? {} : { leftMicros: limit - owed - open };
    found.push({ tenant, owedMicros: owed, heldMicros: held, openMicros: open, ...left });
  }
  return found;
}
