import { claimFor } from "../claim/claims.ts";
import { consolidateFor } from "../claim/consolidate.ts";
import { settleClaims } from "../claim/settle.ts";
import type { Event, JobPlaced } from "../journal/event.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { chargedOn } from "../place/dedicated-usage.ts";
import { handoverFor } from "../place/handover.ts";
import { type Placement, placeJob } from "../place/place.ts";
import { poolsOf } from "../place/pool-prices.ts";
import type { Candidate } from "../queue/candidates.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { State } from "../state/state.ts";
import { upToDate } from "../state/wish-of.ts";
import { isArrayFull } from "./array-limit.ts";
import { Attempts } from "./attempts.ts";
import { settleClasses } from "./classes.ts";
import { growElasticJobs } from "./grow.ts";
import type { SchedulerMemory } from "./memory.ts";
import { Plans } from "./plans.ts";
import { remindOf } from "./reminders.ts";
import { type Awake, isAnythingAwake, takeAwake } from "./wake.ts";
import { type World, worldOf } from "./world.ts";

/** A job whose claim exceeded the effort of its batch is tried again after this long. */
const postponedMs = 100;

/**
 * START HERE. Passes over the groups that a change may have unblocked, until nothing changes any more. Each decision is
 * applied before the next is made.
 */
export function schedule(state: State, memory: SchedulerMemory, now: Instant, apply: (event: Event) => void): void {
  const world = worldOf(state, memory, now, apply);
  settleClaims(state, memory.claims, now, apply); // claimants whose seats are free now
  settleClasses(world);
  let awake = takeAwake(world);
  for (const group of awake.groups) memory.candidates.of(group).delayed = false;
  do {
    for (; isAnythingAwake(awake); awake = takeAwake(world)) pass(world, awake);
    if (state.elastic.size > 0) growElasticJobs(world, new Plans(world)); // onto what no waiting job could use
    awake = takeAwake(world);
  } while (isAnythingAwake(awake));
  const turn = world.turn.end();
  if (turn !== undefined) apply(turn);
  lookAgainAtPostponed(world);
}

/** Tries each candidate in order. Ends early when a change calls for all candidates to compete again from the first. */
function pass(world: World, awake: Awake): void {
  const { state } = world;
  const attempts = new Attempts(world, awake);
  const plans = new Plans(world);
  let someDelayed = false; // seats were refused because they are kept for a plan
  for (let next = attempts.next(); next !== undefined; next = attempts.next()) {
    const started = startOnFreeSeats(world, next, plans);
    if (started !== undefined) {
      const mustCompeteAgain = (started.fell && attempts.hasRefused) || (someDelayed && started.wasPlanned);
      if (mustCompeteAgain && !state.waiting.isLong) return;
      plans.started(started.job);
      attempts.started(next, started.charged);
      continue;
    }
    const room = makeRoom(world, next, plans);
    if (room !== undefined) {
      attempts.claimed(next, room.losers);
      // A claimant of its floor keeps less of what is free from others: all of them compete again for it [C5].
      if (room.by === "claim" && state.lendingLimits > 0 && !state.waiting.isLong) return;
      continue;
    }
    next.delayed ||= isDelayedByPlans(world, next.group, plans);
    someDelayed ||= next.delayed;
    if (attempts.mayPlan(next)) plans.planAhead(next.group);
    remindOf(state, world.memory.timers, next.group.account);
    attempts.refused(next);
  }
}

interface Started {
  readonly job: Job;
  /** It had a planned start. */
  readonly wasPlanned: boolean;
  /** A job fell out of a guarantee by it. */
  readonly fell: boolean;
  /** Accounts that are charged for the rest of its nodes [U3]. */
  readonly charged: ReturnType<typeof chargedOn>;
}

function startOnFreeSeats(world: World, { group }: Candidate, plans: Plans): Started | undefined {
  const { state, memory, now, apply } = world;
  const job = group.jobs[0]!;
  if (isShut(world, group)) return undefined;
  const wish = upToDate(state, group.wish, job.spec);
  const placement = placeJob(state, job, now, plans.backfill, wish, memory.full);
  if (placement === undefined) return undefined;
  const wasPlanned = state.planned.has(job);
  const charged = chargedOn(state, placement.seats);
  apply(placedAs(state, job, placement, now));
  return { job, wasPlanned, charged, fell: settleClasses(world) };
}

/** Whether it is certain that a group cannot start on free seats, so that none are searched. */
function isShut({ state, memory }: World, group: WaitingGroup): boolean {
  const { spec, account } = group.jobs[0]!;
  return (
    isArrayFull(state, group.jobs[0]!) || memory.full.isFull(state, upToDate(state, group.wish, spec), spec, account)
  );
}

/** The keys are in the order in which the journal writes them; absent fields are left out there. */
function placedAs(state: State, job: Job, placement: Placement, at: Instant): JobPlaced {
  const { choice, unitsEach, class: as, cover, seats } = placement;
  const { scrub, reshape } = handoverFor(state, job.account, seats);
  const { no, attempt } = job;
  const pools = poolsOf(state, seats);
  return {
    at,
    attempt,
    choice,
    class: as,
    cover,
    job: no,
    kind: "job-placed",
    pools,
    reshape,
    scrub,
    seats,
    unitsEach,
    v: 1,
  };
}

interface Room {
  readonly by: "claim" | "moves";
  /** The accounts that lose something to the claimant. */
  readonly losers: readonly AccountNo[];
}

/** Reclaims, rebalances or preempts [T1, T2, T3], else moves jobs that can go on elsewhere [T9]; undefined = no way. */
function makeRoom(world: World, { group, seatsOnly }: Candidate, plans: Plans): Room | undefined {
  const { state, now, effort, apply } = world;
  const job = group.jobs[0]!;
  if (seatsOnly || isArrayFull(state, job) || !effort.allows(job)) return undefined;
  const losers = claimFor(state, job, now, effort, () => plans.timeline, apply);
  if (losers !== undefined) {
    plans.holdsMore(job.account);
    if (state.dedicated.size > 0) settleClasses(world); // the rest of a node has passed to the claimant [U3]
    return { by: "claim", losers };
  }
  if (!consolidateFor(state, job, now, plans.timeline, apply)) return undefined;
  plans.forget();
  return { by: "moves", losers: [] };
}

/** Whether a group would have started but for the plans ahead of it. */
function isDelayedByPlans(world: World, group: WaitingGroup, plans: Plans): boolean {
  if (isShut(world, group) || plans.backfill === undefined || plans.timeline.plans.length === 0) return false;
  const { state, memory, now } = world;
  const job = group.jobs[0]!;
  const wish = upToDate(state, group.wish, job.spec);
  return placeJob(state, job, now, undefined, wish, memory.full) !== undefined;
}

function lookAgainAtPostponed({ state, memory, now, effort }: World): void {
  const job = effort.postponed.find((each) => state.waiting.has(each));
  if (job !== undefined) memory.timers.addOnce({ at: now + postponedMs, kind: "exposed", subject: job.no });
}
