import type { Account } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import { noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { unitsPerGpu } from "../model/units.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { CeilingHit } from "../quota/ceiling.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import type { Held } from "../quota/held.ts";
import { unitsOf } from "../quota/held.ts";
import { unlentBeside } from "../quota/lending.ts";
import { dedicatedRemainder } from "../state/dedicated-remainder.ts";
import type { State } from "../state/state.ts";
import type { LimitHit } from "./limits.ts";
import { limitHit } from "./limits.ts";
import type { MoneyHit } from "./money.ts";
import { moneyHit } from "./money.ts";
/** What forbids a start by quota alone; free seats are another matter. */
export type QuotaStop =
  | MoneyHit
  | { readonly kind: "limit"; readonly hit: LimitHit }
  | { readonly kind: "max"; readonly hit: CeilingHit }
  | { readonly kind: "not-lent"; readonly unlentUnits: number }
  | { readonly kind: "must-be-guaranteed" };

/** Whether it is over when others give quota back, so that a start can be planned; nobody can tell when limits and budgets are. */
export function isPlannable({ kind }: QuotaStop): boolean {
  return kind === "max" || kind === "not-lent" || kind === "must-be-guaranteed";
}

/**
 * Ceilings, limits, lending and what may not be preempted [C4, C5]; undefined = it may start if there are seats. `held`
 * is what its accounts would hold without it.
 */
export function mayStart(
  state: State,
  job: Job,
  choice: number,
  demand: Demand,
  now: Instant,
  held?: (account: Account) => Held,
): QuotaStop | undefined {
  return stopFor(state, job, choice, demand, coverFor(state, job.account, demand, held), now, held);
}

export function stopFor(
  state: State,
  job: Job,
  choice: number,
  demand: Demand,
  cover: AccountNo,
  now: Instant,
  held?: (account: Account) => Held,
): QuotaStop | undefined {
  const money = moneyHit(state, job, { choice, model: demand.model }, cover === noAccount, now);
  if (money !== undefined) return money;
  const limit = limitHit(state, job, demand.units, unitsPerGpu, now);
  if (limit !== undefined) return { kind: "limit", hit: limit };
  const ceiling = ceilingHit(state, job.account, demand, held);
  if (ceiling !== undefined) return { kind: "max", hit: ceiling };
  if (cover !== noAccount) return undefined;
  if (!job.spec.preemptible) return { kind: "must-be-guaranteed" };
  if (state.lendingLimits === 0) return undefined;
  const tenant = tenantOf(state, job.account);
  const freeOf = (name: string): number => {
    const opened =
      held === undefined ? 0 : unitsOf(state, held(tenant), name) - unitsOf(state, state.usage[tenant.no]!, name);
    // What a confidential tenant holds already is taken from nobody once more.
    if (held !== undefined && opened + demand.units <= 0) return Number.POSITIVE_INFINITY;
    return state.fleet.freeUnitsUp(name) - dedicatedRemainder(state, name) - opened;
  };
  const unlent = unlentBeside(state, job.account, demand, freeOf);
  return unlent > 0 ? { kind: "not-lent", unlentUnits: unlent } : undefined;
}
