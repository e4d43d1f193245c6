import type { JobPlaced } from "../journal/event.ts";
import type { Account } from "../model/account.ts";
import { noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { type LimitHit, limitHit } from "../queue/limits.ts";
import { type CeilingHit, ceilingHit, coverFor, type Demand, unlentUnits } from "../queue/quota.ts";
import { demandOf, modelsFor, type State, tenantOf } from "../state/state.ts";
import type { Held } from "../state/usage.ts";
import type { Timeline } from "../when/timeline.ts";
import { dedicatedRest, heldBeside, isConfidential } from "./dedicated.ts";
import { findSeats } from "./seats.ts";

export { modelsFor };

/** Everything a placement fixes but the attempt and the time. */
export type Placement = Pick<JobPlaced, "choice" | "unitsEach" | "class" | "cover" | "seats">;

/** Where the job can start now and as what, trying its alternatives in order; undefined = nowhere. */
export function placeJob(state: State, job: Job, now: Instant, timeline?: Timeline): Placement | undefined {
  const { spec } = job;
  const wholeNodes = isConfidential(state, job.account);
  for (let choice = 0; choice < spec.gpus.length; choice++) {
    const ask = spec.gpus[choice]!;
    for (const model of modelsFor(state, job, choice)) {
      const demand = demandOf(state, job, choice, model);
      if (!wholeNodes && mayStart(state, job, demand, now) !== undefined) continue;
      let cover = coverFor(state, job.account, demand);
      const planned = timeline !== undefined && timeline.plans.length > 0;
      const mayTake = planned
        ? (node: FleetNode, free: number) => timeline.mayTake(job, cover === noAccount, node, free)
        : undefined;
      const seats = findSeats(state, job, choice, model, mayTake);
      if (typeof seats === "string") continue;
      if (wholeNodes) {
        // What it would really hold depends on the nodes that it would open.
        const held = heldBeside(state, job.account, seats);
        if (mayStart(state, job, demand, now, held) !== undefined) continue;
        cover = coverFor(state, job.account, demand, held);
      }
      return { choice, unitsEach: ask.unitsEach, class: cover === noAccount ? "burst" : "guaranteed", cover, seats };
    }
  }
  return undefined;
}

/** What forbids a start by quota alone; free seats are another matter. */
export type QuotaStop =
  | { readonly kind: "limit"; readonly hit: LimitHit }
  | { readonly kind: "max"; readonly hit: CeilingHit }
  | { readonly kind: "not-lent"; readonly unlentUnits: number }
  | { readonly kind: "must-be-guaranteed" };

/**
 * Ceilings, limits, lending and what may not be preempted [C4, C5]; undefined = it may start if there are seats. `held`
 * is what its accounts would hold without it.
 */
export function mayStart(
  state: State,
  job: Job,
  demand: Demand,
  now: Instant,
  held?: (account: Account) => Held,
): QuotaStop | undefined {
  const limit = limitHit(state, job, demand.units, unitsPerGpu, now);
  if (limit !== undefined) return { kind: "limit", hit: limit };
  const ceiling = ceilingHit(state, job.account, demand, held);
  if (ceiling !== undefined) return { kind: "max", hit: ceiling };
  if (coverFor(state, job.account, demand, held) !== noAccount) return undefined;
  if (!job.spec.preemptible) return { kind: "must-be-guaranteed" };
  const unlent = unlentUnits(state, job.account);
  if (demand.units === 0 || unlent === 0) return undefined;
  const tenant = tenantOf(state, job.account);
  const beside = held === undefined ? 0 : held(tenant).units - state.usage[tenant.no]!.units;
  const free = state.fleet.freeUnitsUp() - dedicatedRest(state) - beside;
  return free - demand.units < unlent ? { kind: "not-lent", unlentUnits: unlent } : undefined;
}
