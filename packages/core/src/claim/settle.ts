import { moneyHit } from "../gate/money.ts";
import type { Event } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Claim, Job } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { Instant } from "../model/units.ts";
import { keptApart } from "../place/dedicated.ts";
import { handoverFor } from "../place/handover.ts";
import { poolsOf } from "../place/pool-prices.ts";
import { accountOf } from "../quota/accounts.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import { demandOf, modelOn } from "../quota/demand.ts";
import { borrowedOf, coverFor, isNothing } from "../quota/guarantee.ts";
import { addTo, type Held, minus, nothingHeld, plus } from "../quota/held.ts";
import { nodesAmong } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { ClaimWatch } from "./claim-watch.ts";

/** T7: claimants whose seats have become free start; claimants whose seats are lost wait as before. */
export function settleClaims(
  state: ReadonlyState,
  watch: ClaimWatch,
  now: Instant,
  apply: (event: Event) => void,
): void {
  for (const job of watch.take(state)) {
    const claim = must(job.claim, "a claimant has a claim");
    if (claim.seats.some((seat) => state.fleet.nodes[seat.node]?.mode !== "up")) {
      apply(droppedClaim(job, now, "a node of its seats is no longer up"));
      continue;
    }
    if (claim.seats.some(({ gpus }) => gpus.some((gpu) => state.fleet.gpuWithheld[gpu] !== 0))) {
      apply(droppedClaim(job, now, "a GPU of its seats can no longer be offered"));
      continue;
    }
    const among = nodesAmong(state, job.account, job.spec);
    if (among !== undefined && claim.seats.some((seat) => !among.has(state.fleet.node(seat.node)))) {
      apply(droppedClaim(job, now, "a node of its seats no longer takes it"));
      continue;
    }
    if (!seatsAreFree(state, claim)) continue;
    watch.holdUp(job);
    if (!hasRoom(state, job, claim)) continue;
    const event = startOrDrop(state, job, claim, now);
    if (event !== undefined) apply(event);
  }
}

/** The event for a claimant that has room; undefined while it still waits for its guarantee. */
function startOrDrop(state: ReadonlyState, job: Job, claim: Claim, now: Instant): Event | undefined {
  const cover = coverOfClaim(state, job, claim);
  if (cover === noAccount && !job.spec.preemptible) {
    // Its guarantee is still in use. If no work of it is stopping, a quota has changed and it stays in use.
    const { leaving } = state.usage[claim.cover ?? job.account]!;
    return leaving.units === 0 ? droppedClaim(job, now, "no guarantee holds it any more") : undefined;
  }
  const option = { choice: claim.choice, model: modelOn(state, claim.seats) };
  if (moneyHit(state, job, option, cover === noAccount, now)) {
    return droppedClaim(job, now, "money keeps it from starting");
  }
  return placedJob(state, job, claim, cover, now);
}

function droppedClaim(job: Job, now: Instant, reason: string): Event {
  return { kind: "claim-dropped", v: 1, at: now, job: job.no, reason };
}

function placedJob(state: ReadonlyState, job: Job, claim: Claim, cover: AccountNo, now: Instant): Event {
  const { choice, unitsEach, seats } = claim;
  return {
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
    pools: poolsOf(state, seats),
  };
}

function seatsAreFree(state: ReadonlyState, { seats }: Claim): boolean {
  for (const { gpus, part } of seats)
    for (const gpu of gpus) if (!isVacant(state, gpu, part !== undefined)) return false;
  return true;
}

/** No new work comes to a GPU that is held. Beside a part, other parts may stay; those that were taken must have left. */
function isVacant({ fleet }: ReadonlyState, gpu: number, part: boolean): boolean {
  return part ? fleet.gpuLeaving[gpu] === 0 : fleet.gpuFree[gpu] === fleet.gpuCapacity[gpu];
}

/**
 * Whether there are cores, memory and quota beside the GPUs: a victim may have left its GPUs idle and still hold the
 * cores, memory or quota for which it was taken.
 */
function hasRoom(state: ReadonlyState, job: Job, claim: Claim): boolean {
  const mayUse = keptApart(state, job.account);
  if (job.state !== "waiting") return false; // it is being moved and still has its old seat [T9]
  for (const { node: no } of claim.seats) {
    const node = state.fleet.node(no);
    if (mayUse?.(node) === false) return false;
    if (node.freeCpusMilli < 0 || node.freeMemoryMiB < 0) return false;
  }
  const held = heldFor(state, job, claim);
  const demand = demandOf(state, job, claim.choice, modelOn(state, claim.seats));
  return ceilingHit(state, job.account, demand, (account) => minus(state.usage[account.no]!, held)) === undefined;
}

/** What the seats held for a claimant amount to; the usage of its accounts contains it already. */
function heldFor(state: ReadonlyState, { spec }: Job, { seats, unitsEach }: Claim): Held {
  const { cpusMilli, memoryMiB } = spec;
  const held = nothingHeld();
  for (const { gpus, part } of seats) {
    addTo(held, state.fleet, { gpus, part, unitsEach: part?.compute ?? unitsEach, cpusMilli, memoryMiB }, 1);
  }
  return held;
}

/**
 * C1; but a claimant keeps the guarantee it claimed by if that still holds it beside the work that the account itself
 * covers [C4]. If a job below has started on a guarantee of its own, the claimant falls once it runs, as if it had run
 * already [C3].
 */
function coverOfClaim(state: ReadonlyState, job: Job, claim: Claim): AccountNo {
  const { cover } = claim;
  if (job.cover !== noAccount) return job.cover; // it was moved, and a move keeps its class [T9]
  if (cover === undefined) return coverWithout(state, job);
  const account = accountOf(state, cover);
  let covered = state.usage[cover]!.covered;
  for (const child of account.children) covered = minus(covered, state.usage[child]!.covered);
  const holds = isNothing(borrowedOf(state, account, plus(covered, heldFor(state, job, claim))));
  return holds ? cover : coverWithout(state, job);
}

/** C1 without a demand: the seats held for the claimant are in its accounts' usage already. */
function coverWithout(state: ReadonlyState, job: Job): AccountNo {
  const nothing = { model: -1, units: 0, memoryUnits: 0, cpusMilli: 0, memoryMiB: 0 };
  return coverFor(state, job.account, nothing);
}
