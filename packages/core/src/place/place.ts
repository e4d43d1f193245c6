import type { JobPlaced } from "../journal/event.ts";
import type { Account } from "../model/account.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { type LimitHit, limitHit } from "../gate/limits.ts";
import { type CeilingHit, ceilingHit, coverFor, type Demand, unitsOf, unlentBeside } from "../quota/quota.ts";
import { type MoneyHit, moneyHit } from "../gate/money.ts";
import { modelsFor, type State, tenantOf, wishOf } from "../state/state.ts";
import type { Held } from "../quota/usage.ts";
import type { Wish } from "../state/wish.ts";
import type { Timeline } from "../plan/timeline.ts";
import { dedicatedRest, heldBeside, isConfidential } from "./dedicated.ts";
import { isKnownFull, noteFull } from "./known-full.ts";
import { findSeats } from "./seats.ts";

export { modelsFor };

/** Everything a placement fixes but the attempt and the time. */
export type Placement = Pick<JobPlaced, "choice" | "unitsEach" | "class" | "cover" | "seats">;

/** Where the job can start now and as what, trying its alternatives in order; undefined = nowhere. */
export function placeJob(
  state: State,
  job: Job,
  now: Instant,
  timeline?: Timeline,
  wish: Wish = wishOf(state, job.spec),
): Placement | undefined {
  if (isKnownFull(state, wish, job.spec, job.account)) return undefined;
  const wholeNodes = isConfidential(state, job.account);
  let full = true;
  let apart = false;
  for (const { choice, model, demand } of wish.options) {
    let cover = coverFor(state, job.account, demand);
    if (!wholeNodes && stopFor(state, job, choice, demand, cover, now) !== undefined) {
      full = false;
      continue;
    }
    if (timeline !== undefined && timeline.plans.length > 0 && !timeline.mayHold(job, demand, cover === noAccount)) {
      full = false;
      continue;
    }
    const burst = cover === noAccount;
    const plans = timeline !== undefined && timeline.plans.length > 0 ? timeline.besideFor(job, burst) : undefined;
    let seats = findSeats(state, job, choice, model, plans, undefined, burst);
    const due = typeof seats === "string" && plans !== undefined ? timeline!.dueOn(job, choice) : undefined;
    // All other plans were made with a start there now.
    if (due !== undefined) seats = findSeats(state, job, choice, model, undefined, ({ no }) => due.has(no), burst);
    if (typeof seats === "string") {
      const without = plans === undefined ? seats : findSeats(state, job, choice, model);
      const byNeighbours = without === "isolation" || without === "latency";
      full &&= without === "no-room" || without === "never" || byNeighbours;
      apart ||= byNeighbours;
      continue;
    }
    full = false;
    if (wholeNodes) {
      // What it would really hold depends on the nodes that it would open.
      const held = heldBeside(state, job.account, seats);
      cover = coverFor(state, job.account, demand, held);
      if (stopFor(state, job, choice, demand, cover, now, held) !== undefined) continue;
    }
    const { unitsEach } = job.spec.gpus[choice]!;
    return { choice, unitsEach, class: cover === noAccount ? "burst" : "guaranteed", cover, seats };
  }
  if (full) noteFull(state, wish, apart ? job.account : undefined);
  return undefined;
}

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

function stopFor(
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
    return state.fleet.freeUnitsUp(name) - dedicatedRest(state, name) - opened;
  };
  const unlent = unlentBeside(state, job.account, demand, freeOf);
  return unlent > 0 ? { kind: "not-lent", unlentUnits: unlent } : undefined;
}
