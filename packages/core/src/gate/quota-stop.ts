import type { Account } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import { noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { CeilingHit } from "../quota/ceiling.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import type { Held } from "../quota/held.ts";
import { unitsOf } from "../quota/held.ts";
import { unlentBeside } from "../quota/lending.ts";
import { dedicatedRemainder } from "../state/dedicated-remainder.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { LimitHit } from "./limits.ts";
import { limitHit } from "./limits.ts";
import type { MoneyHit } from "./money.ts";
import { moneyHit } from "./money.ts";

/** What keeps a job from starting whether or not there are free seats. */
export type QuotaStop =
  | MoneyHit
  | { readonly kind: "limit"; readonly hit: LimitHit }
  | { readonly kind: "max"; readonly hit: CeilingHit }
  | { readonly kind: "not-lent"; readonly unlentUnits: number }
  | { readonly kind: "must-be-guaranteed" };

/** Whether a start can be planned nevertheless: other jobs give quota back at known times. Limits and money do not [B4]. */
export function isPlannable({ kind }: QuotaStop): boolean {
  return kind === "max" || kind === "not-lent" || kind === "must-be-guaranteed";
}

/** One alternative of a job that would start at an instant. */
export interface ProposedStart {
  readonly job: Job;
  readonly choice: number;
  readonly demand: Demand;
  readonly now: Instant;
  /** The guarantee that would cover it; worked out where absent. */
  readonly cover?: AccountNo;
  /** What its accounts would hold without it; where absent, what they hold now. */
  readonly held?: ((account: Account) => Held) | undefined;
}

/** The first of money, limits, ceilings, guarantee and lending that keeps a job from starting [C4, C5]; undefined = none. */
export function quotaStop(state: ReadonlyState, start: ProposedStart): QuotaStop | undefined {
  const { job, choice, demand, now, held } = start;
  const cover = start.cover ?? coverFor(state, job.account, demand, held);
  const money = moneyHit(state, job, { choice, model: demand.model }, cover === noAccount, now);
  if (money !== undefined) return money;
  const limit = limitHit(state, job, demand.units, now);
  if (limit !== undefined) return { kind: "limit", hit: limit };
  const ceiling = ceilingHit(state, job.account, demand, held);
  if (ceiling !== undefined) return { kind: "max", hit: ceiling };
  if (cover !== noAccount) return undefined;
  if (!job.spec.preemptible) return { kind: "must-be-guaranteed" };
  if (state.lendingLimits === 0) return undefined;
  const unlentUnits = unlentBeside(state, job.account, demand, (name) => freeUnits(state, start, name));
  return unlentUnits > 0 ? { kind: "not-lent", unlentUnits } : undefined;
}

/** Free GPU units of a name, less the whole nodes that a confidential tenant would open for the start [U3]. */
function freeUnits(state: ReadonlyState, { job, demand, held }: ProposedStart, name: string): number {
  const free = state.fleet.freeUnitsUp(name) - dedicatedRemainder(state, name);
  if (held === undefined) return free;
  const tenant = tenantOf(state, job.account);
  const opened = unitsOf(state, held(tenant), name) - unitsOf(state, state.usage[tenant.no]!, name);
  // A start on nodes that the tenant has already takes nothing from other tenants.
  return opened + demand.units <= 0 ? Number.POSITIVE_INFINITY : free - opened;
}
