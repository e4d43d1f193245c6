import { moneyHit } from "../gate/money.ts";
import type { Event } from "../journal/event.ts";
import { type AccountNo, type JobNo, type LeaseId, noAccount } from "../model/ids.ts";
import type { Claim, Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { Instant } from "../model/units.ts";
import { keptApart } from "../place/dedicated.ts";
import { handoverFor } from "../place/handover.ts";
import type { Timeline } from "../plan/timeline.ts";
import { accountOf } from "../quota/accounts.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import { demandOf } from "../quota/demand.ts";
import { borrowedOf, coverFor, isNothing } from "../quota/guarantee.ts";
import { addTo, type Held, minus, nothingHeld, plus } from "../quota/held.ts";
import { stopJob, stopOrderOf } from "../run/stop.ts";
import type { State } from "../state/state.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import type { ClaimWatch } from "./claim-watch.ts";
import type { EffortBudget } from "./effort-budget.ts";
import { planClaim } from "./plan.ts";
import type { Rule } from "./rules/rule.ts";

/** Claimants whose seats have become free start; those whose seats are lost wait as before [T7]. */
export function settleClaims(state: State, watch: ClaimWatch, now: Instant, apply: (event: Event) => void): void {
  for (const job of watch.take(state)) {
    const claim = job.claim!;
    if (claim.seats.some((seat) => state.fleet.nodes[seat.node]?.mode !== "up")) {
      drop(job, now, "a node of its seats is no longer up", apply);
      continue;
    }
    if (!seatsAreFree(state, claim)) continue;
    watch.holdUp(job);
    if (hasRoom(state, job, claim)) {
      const cover = coverOfClaim(state, job, claim);
      if (cover === noAccount && !job.spec.preemptible) {
        // Its floor is not empty yet. If nobody is leaving it, a quota has changed and it will not be.
        const { leaving } = state.usage[claim.cover ?? job.account]!;
        if (leaving.units === 0) drop(job, now, "no guarantee holds it any more", apply);
      } else if (
        moneyHit(state, job, { choice: claim.choice, model: modelOf(state, claim) }, cover === noAccount, now)
      ) {
        drop(job, now, "money keeps it from starting", apply);
      } else {
        start(state, job, claim, cover, now, apply);
      }
    }
  }
}

function seatsAreFree(state: State, { seats }: Claim): boolean {
  for (const { gpus, part } of seats)
    for (const gpu of gpus) if (!isVacant(state, gpu, part !== undefined)) return false;
  return true;
}

function drop(job: Job, now: Instant, reason: string, apply: (event: Event) => void): void {
  apply({ kind: "claim-dropped", v: 1, at: now, job: job.no, reason });
}

function start(
  state: State,
  job: Job,
  claim: Claim,
  cover: AccountNo,
  now: Instant,
  apply: (event: Event) => void,
): void {
  const { choice, unitsEach, seats } = claim;
  apply({
    kind: "job-placed",
    v: 1,
    at: now,
    job: job.no,
    attempt: job.attempt,
    choice,
    unitsEach,
    class: cover === noAccount ? "burst" : "guaranteed",
    cover,
    seats,
    ...handoverFor(state, job.account, seats),
  });
}

/**
 * Everything that is held for the claimant beside the GPUs is there, and its ceilings have room: a victim may have left
 * its GPUs idle and still hold the cores, the memory or the quota that it was taken for.
 */
function hasRoom(state: State, job: Job, claim: Claim): boolean {
  const mayUse = keptApart(state, job.account);
  if (job.state !== "waiting") return false; // it is being moved and still has its old seat [T9]
  for (const { node: no } of claim.seats) {
    const node = state.fleet.node(no);
    if (mayUse?.(node) === false) return false;
    if (node.freeCpusMilli < 0 || node.freeMemoryMiB < 0) return false;
  }
  const held = heldFor(state, job, claim);
  return (
    ceilingHit(state, job.account, demandOf(state, job, claim.choice, modelOf(state, claim)), (account) =>
      minus(state.usage[account.no]!, held),
    ) === undefined
  );
}

function modelOf({ fleet }: State, { seats }: Claim): number {
  const [gpu] = seats[0]!.gpus;
  return gpu === undefined ? -1 : fleet.gpuModel[gpu]!;
}

/** Nobody new comes to a GPU that is held: beside a part those stay who were there, and the others have to leave. */
function isVacant({ fleet }: State, gpu: number, part: boolean): boolean {
  return part ? fleet.gpuLeaving[gpu] === 0 : fleet.gpuFree[gpu] === fleet.gpuCapacity[gpu];
}

/** What is held for a claimant, which its accounts' usage contains already. */
function heldFor(state: State, { spec }: Job, { seats, unitsEach }: Claim): Held {
  const { cpusMilli, memoryMiB } = spec;
  const held = nothingHeld();
  for (const { gpus, part } of seats) {
    addTo(held, state.fleet, { gpus, part, unitsEach: part?.compute ?? unitsEach, cpusMilli, memoryMiB }, 1);
  }
  return held;
}

/**
 * As C1 says; but it keeps the guarantee it claimed by, if that still holds it beside what it covers
 * itself [C4]. Who has started below on a floor of its own makes it fall once it runs, as if it had run already [C3].
 */
function coverOfClaim(state: State, job: Job, claim: Claim): AccountNo {
  const { cover } = claim;
  if (job.cover !== noAccount) return job.cover; // it was moved, which costs nobody its class [T9]
  if (cover === undefined) return coverWithout(state, job);
  const account = accountOf(state, cover);
  let covered = state.usage[cover]!.covered;
  for (const child of account.children) covered = minus(covered, state.usage[child]!.covered);
  const holds = isNothing(borrowedOf(state, account, plus(covered, heldFor(state, job, claim))));
  return holds ? cover : coverWithout(state, job);
}

/** The cover of a claimant when it starts: what is held for it counts as its account's usage already. */
function coverWithout(state: State, job: Job): AccountNo {
  const nothing = { model: -1, units: 0, memoryUnits: 0, cpusMilli: 0, memoryMiB: 0 };
  return coverFor(state, job.account, nothing);
}

/** Makes room for a job if the rules allow it. Returns the accounts that lose, or undefined. */
export function claimFor(
  state: State,
  job: Job,
  now: Instant,
  effort: EffortBudget,
  timeline: () => Timeline,
  apply: (event: Event) => void,
): AccountNo[] | undefined {
  const plan = planClaim(state, job, now, effort);
  if (plan === undefined || !keepsPlans(state, job, plan, timeline)) return undefined;
  const { choice, cover, unitsEach, seats } = plan;
  const victims: JobNo[] = [];
  const shrinks: LeaseId[] = [];
  for (const { job: loser, leases, extra } of plan.victims.keys()) {
    if (extra) shrinks.push(leases[0]!.id);
    else victims.push(loser.no);
  }
  apply({
    kind: "job-claimed",
    v: 1,
    at: now,
    job: job.no,
    ...(cover !== noAccount && { cover }),
    choice,
    unitsEach,
    seats,
    victims,
    ...(shrinks.length > 0 && { shrinks }),
  });
  for (const [{ job: loser, leases, extra }, rule] of plan.victims) {
    const events = extra
      ? [shrink(state, loser, leases[0]!, now)]
      : stopJob(state, loser, "preempt", now, undefined, whyOf[rule]);
    for (const event of events) apply(event);
  }
  return [...plan.victims.keys()].map((victim) => victim.job.account);
}

/** Who goes before it in its own account and has a plan must not start later for it [O4]. */
function keepsPlans(state: State, job: Job, { choice, seats }: ClaimPlan, timeline: () => Timeline): boolean {
  if (state.planned.size === 0) return true;
  const gpu = seats[0]!.gpus[0];
  const model = gpu === undefined ? -1 : state.fleet.gpuModel[gpu]!;
  return timeline().mayClaim(job, demandOf(state, job, choice, model), seats);
}

function shrink(state: State, job: Job, lease: Lease, now: Instant): Event {
  const order = stopOrderOf(job.spec, "preempt", state.policy);
  return { kind: "lease-stopping", v: 1, at: now, lease: lease.id, sequence: 0, cause: "shrink", ...order };
}

/** For the user of an evicted job; names no other tenant. */
const whyOf: Readonly<Record<Rule, string>> = {
  T1: "the GPUs were borrowed, and the account they are guaranteed to needs them back",
  T2: "the GPUs were borrowed beyond your fair share, and an account with a smaller share needs them",
  T3: "a job of higher priority in the same account needs them",
  O3: "a job that goes before it in its account's order needs them; it goes on from its checkpoint when its turn comes",
};
