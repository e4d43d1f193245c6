import { Book } from "../claim/book.ts";
import { claimFor, settleClaims } from "../claim/claims.ts";
import { consolidateFor } from "../claim/consolidate.ts";
import { mayInsist } from "../claim/prospects.ts";
import { isPlannable, mayStart } from "../gate/may-start.ts";
import type { Event, JobPlaced } from "../journal/event.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { chargedOn } from "../place/dedicated.ts";
import { handoverOf } from "../place/handover.ts";
import { isKnownFull } from "../place/known-full.ts";
import { type Placement, placeJob } from "../place/place.ts";
import { mayBePlanned, mayPlan } from "../plan/patience.ts";
import { Timeline } from "../plan/timeline.ts";
import { accountOf, orderOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";
import type { WaitingGroup } from "../state/waiting.ts";
import type { Shape, Wish } from "../state/wish.ts";
import { upToDate } from "../state/wish-of.ts";
import { settleClasses } from "./classes.ts";
import { growJobs } from "./grow.ts";
import { type Awake, isAnyoneAwake, SeatHopes, takeAwake } from "./wake.ts";

/**
 * One scheduling pass over what an event may have unblocked, again until nothing changes. Each decision is applied
 * before the next is looked for.
 */
export function decidePlacements(state: State, now: Instant, apply: (event: Event) => void): void {
  settleClaims(state, now, apply); // those for whom room was made
  settleClasses(state, now, apply);
  const book = new Book(state, now);
  let awake = takeAwake(state, book.turns);
  for (const group of awake.groups) group.delayed = false;
  do {
    for (; isAnyoneAwake(awake); awake = takeAwake(state, book.turns)) pass(state, awake, book, now, apply);
    growJobs(state, now, apply, () => plansOf(state, now, apply)); // what nobody who waits could use
    awake = takeAwake(state, book.turns);
  } while (isAnyoneAwake(awake));
  book.postpone();
}

function pass(state: State, awake: Awake, book: Book, now: Instant, apply: (event: Event) => void): void {
  const seats = new SeatHopes(state, awake);
  let contest = seats.contest();
  let plans: Timeline | undefined;
  const timeline = (): Timeline => {
    plans ??= plansOf(state, now, apply); // what must not be delayed
    return plans;
  };
  const hopeless = new Hopeless();
  let refused = state.waiting.groups.size > awake.groups.length; // someone sleeps, or has had its turn
  let delayed = false; // someone was refused seats that are kept for a plan
  for (;;) {
    if (seats.areFewer()) contest = seats.contest();
    const group = contest.next(); // who is next
    if (group === undefined) return;
    if (hopeless.has(group)) {
      contest.close(group);
      continue;
    }
    const job = group.jobs[0]!;
    const wish = upToDate(state, group.wish, job.spec);
    const shut = arrayIsFull(state, group) || isKnownFull(state, wish, job.spec, job.account);
    const placement = shut ? undefined : placeJob(state, job, now, timeline(), wish); // where does it go
    if (placement !== undefined) {
      const kept = delayed && state.planned.has(job);
      const charged = chargedOn(state, placement.seats);
      apply(placedAs(state, job, placement, now));
      const fell = settleClasses(state, now, apply);
      // Who may be taken now, or seats that a plan kept and did not need, are for the first of all, not of those left.
      if (((fell && refused) || kept) && !state.waiting.isLong) return;
      timeline().started(job);
      contest.started(group);
      if (charged.length > 0) contest.lost(charged, job.account); // the rest of a node may be charged higher up now
      seats.taken();
      continue;
    }
    const mayClaim = !group.seatsOnly && !arrayIsFull(state, group) && book.allows(job);
    const losers = mayClaim ? claimFor(state, job, now, book, timeline, apply) : undefined; // who must leave for it
    if (losers === undefined && mayClaim && consolidateFor(state, job, now, timeline(), apply)) {
      plans = undefined;
      contest.started(group);
      continue;
    }
    if (losers === undefined) {
      group.delayed ||=
        !shut && timeline().plans.length > 0 && placeJob(state, job, now, undefined, wish) !== undefined;
      delayed ||= group.delayed;
      refused = true;
      if (!group.seatsOnly) state.waiting.noteInsists(group, mayInsist(state, job, wish));
      planAhead(state, timeline, job, wish, now, apply); // when could it start
      lookAgain(state, job.account, now);
      contest.close(group); // nobody who wants the same can start either
      seats.refused(group);
      if (state.planned.size === 0 && state.fleet.maintained.size === 0 && !group.seatsOnly) hopeless.add(group);
      continue;
    }
    plans?.holdsMore(job.account);
    if (state.dedicated.size > 0) settleClasses(state, now, apply); // the rest of a node has passed to the claimant [U3]
    contest.started(group);
    contest.lost(losers, job.account);
    // Who claims its floor keeps less of what is free from others: all of them compete again for it [C5].
    if (state.lendingLimits > 0 && !state.waiting.isLong) return;
  }
}

/** Its keys are in the order in which the journal writes them; absent fields are left out there. */
function placedAs(state: State, job: Job, placement: Placement, at: Instant): JobPlaced {
  const { choice, unitsEach, class: as, cover, seats } = placement;
  const { scrub, reshape } = handoverOf(state, job.account, seats);
  const { no, attempt } = job;
  return { at, attempt, choice, class: as, cover, job: no, kind: "job-placed", reshape, scrub, seats, unitsEach, v: 1 };
}

/** What found no room in this pass: who differs only in the time it needs finds none either, where no plan and no maintenance is in the way. */
class Hopeless {
  readonly #shapes = new Map<AccountNo, Set<Shape>>();

  add({ key, account, wish }: WaitingGroup): void {
    if (typeof key !== "number") return; // it may be only its user or its array that has reached a limit
    const known = this.#shapes.get(account);
    if (known === undefined) this.#shapes.set(account, new Set([wish.shape]));
    else known.add(wish.shape);
  }

  has({ account, wish }: WaitingGroup): boolean {
    if (this.#shapes.size === 0) return false;
    return this.#shapes.get(account)?.has(wish.shape) ?? false;
  }
}

function arrayIsFull(state: State, group: WaitingGroup): boolean {
  const job = group.jobs[0]!;
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  if (array === undefined) return false;
  // An element for which room is being made will start without being asked again.
  let starting = array.active;
  for (const claimant of state.claimants) if (claimant.array === array.no && claimant.state === "waiting") starting++;
  return starting >= (job.spec.array?.atOnceMax ?? array.size);
}

/** Where very many wait, plans stand as they are until turns are taken, and are made again then [B6]. */
function plansOf(state: State, now: Instant, apply: (event: Event) => void): Timeline {
  const { waiting, plans } = state;
  const areDue = waiting.turnsAreDue && plans?.madeAt !== now;
  if (waiting.isLong && !areDue && plans?.goOn(state.planned, now)) return plans;
  state.plans = planAgain(state, now, apply);
  return state.plans;
}

/** Those who were planned before keep their place ahead of whoever comes now. */
function planAgain(state: State, now: Instant, apply: (event: Event) => void): Timeline {
  const timeline = new Timeline(state, now);
  if (!state.policy.backfill) return timeline;
  for (const job of [...state.planned.keys()]) {
    const plan = timeline.plan(job, mayStartNow(state, state.waiting.groupOf(job)!, job, now));
    if (plan === undefined) apply({ kind: "plan-dropped", v: 1, at: now, job: job.no });
    else state.planned.set(job, plan.at);
  }
  return timeline;
}

/** Room has come sooner than was planned for: it is for those who were planned, whoever comes first now. */
function mayStartNow(state: State, group: WaitingGroup, job: Job, now: Instant): boolean {
  return (
    !arrayIsFull(state, group) &&
    mayStart(state, job, 0, upToDate(state, group.wish, job.spec).first, now) === undefined
  );
}

/** Where the order of an account may evict, time alone may put someone who runs behind someone who waits [O3]. */
function lookAgain(state: State, account: AccountNo, now: Instant): void {
  if (orderOf(state, account) !== "index") return;
  const quantum = accountOf(state, account).terms.quantumMs!;
  state.timers.addOnce({ at: now - (now % quantum) + quantum, kind: "quantum", subject: account });
}

function planAhead(
  state: State,
  timeline: () => Timeline,
  job: Job,
  wish: Wish,
  now: Instant,
  apply: (event: Event) => void,
): void {
  if (state.planned.has(job) || !mayBePlanned(state, job)) return;
  const stop = mayStart(state, job, 0, wish.first, now);
  if (stop?.kind === "limit" && stop.hit.kind === "gpu-time") {
    state.timers.addOnce({ at: stop.hit.until, kind: "exposed", subject: job.no }); // it may compete again then
  }
  if (stop !== undefined && !isPlannable(stop)) return;
  const plan = mayPlan(state) ? timeline().plan(job) : undefined;
  if (plan !== undefined) apply({ kind: "job-planned", v: 1, at: now, job: job.no, startsAt: plan.at });
}
