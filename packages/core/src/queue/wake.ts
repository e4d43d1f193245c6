import { mayInsist } from "../claim/prospects.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { isKnownFull } from "../place/known-full.ts";
import { accountOf, type State, tenantOf, upToDate } from "../state/state.ts";
import type { WaitingGroup } from "../state/waiting.ts";
import type { Shape } from "../state/wish.ts";
import { mayBePlanned } from "../when/patience.ts";
import { plansMax } from "../when/timeline.ts";

/**
 * Groups that an event may have unblocked. Where many wait, these are: those for whom there may be free seats; those who
 * may have a guarantee to claim by; and every so often as many others as are given a turn to look whom they might take,
 * one after the other, so that a decision does not take longer the more wait.
 */
export function takeAwake(state: State, turns: number): WaitingGroup[] {
  const { waiting } = state;
  const fresh = waiting.takeFresh();
  for (const group of fresh) group.seatsOnly = false;
  const changed = waiting.takeChanged();
  const relieved = waiting.takeRelieved();
  if (!changed && !(waiting.hasTurns && turns > 0)) return fresh;
  if (!waiting.isLong) {
    waiting.endRound();
    for (const group of waiting.groups) group.seatsOnly = false;
    return [...waiting.groups];
  }
  const all = new Set<WaitingGroup>([...fresh, ...claimants(state, relieved), ...waiting.takeTurns(turns)]);
  if (changed) for (const group of waiting.insisting) all.add(group);
  for (const group of all) group.seatsOnly = false;
  const awake = [...all];
  if (changed) wakeForSeats(state, all, awake);
  return awake;
}

/** Adds those who may start or be planned after a change, but for those who are looked at for `all` they could do. */
function wakeForSeats(state: State, all: ReadonlySet<WaitingGroup>, awake: WaitingGroup[]): void {
  const maySomePlan = mayPlan(state);
  for (const [shape, groups] of state.waiting.byShape) {
    // Where no seats hold a shape, none hold any of its groups; who they are makes no difference.
    const full = shape.fullFor.size === 0 && isFull(state, groups.first!);
    if (full && !maySomePlan) continue;
    for (const group of groups) {
      if (all.size > 0 && all.has(group)) continue;
      if (full ? !mayBePlannedNow(state, group) : shape.fullFor.size > 0 && !mayStartOrPlan(state, group)) continue;
      group.seatsOnly = true;
      awake.push(group);
    }
  }
}

/** Whether a group that is looked at for free seats only has none to hope for any more. */
export function isIdle(state: State, group: WaitingGroup): boolean {
  return group.seatsOnly && !mayStartOrPlan(state, group);
}

/** Of those who are looked at for free seats only so many are told in one pass that what is free is kept for others. */
const refusalsMax = 16;

/**
 * Those of a pass who are looked at for free seats only: as soon as none are left for any of them, or the first of them
 * have found that all are kept for plans, the others need not be asked one by one. Their turn comes later.
 */
export class SeatHopes {
  readonly #state: State;
  readonly #groups: readonly WaitingGroup[];
  /** One of each shape. */
  readonly #shapes = new Map<Shape, WaitingGroup>();
  readonly #closed = new Set<WaitingGroup>();
  #refusals = 0;
  #isOver = false;
  #isToBeAsked = false;

  constructor(state: State, groups: readonly WaitingGroup[]) {
    this.#state = state;
    this.#groups = groups;
    for (const group of groups) if (group.seatsOnly) this.#shapes.set(group.wish.shape, group);
  }

  /** Someone has started. */
  taken(): void {
    this.#isToBeAsked = true;
  }

  /** Someone has found no seat. */
  refused(group: WaitingGroup): void {
    this.#isToBeAsked = true; // it may have been planned, and no more are
    if (group.seatsOnly) this.#refusals++;
    else this.#closed.add(group);
  }

  /** Whether nobody need be asked any more who is looked at for free seats only; told once. */
  areGone(): boolean {
    if (this.#isOver || this.#shapes.size === 0) return false;
    if (this.#refusals < refusalsMax && !(this.#isToBeAsked && this.#areFull())) return false;
    this.#isOver = true;
    return true;
  }

  /** Everyone else who has not had his turn. */
  others(): WaitingGroup[] {
    return this.#groups.filter((group) => !group.seatsOnly && group.jobs.length > 0 && !this.#closed.has(group));
  }

  #areFull(): boolean {
    this.#isToBeAsked = false;
    for (const [{ fullFor }, group] of this.#shapes) {
      const [job] = group.jobs;
      if (job === undefined || fullFor.size > 0 || !isFull(this.#state, group)) return false;
      if (mayPlan(this.#state) && isWhole(job.spec)) return false;
    }
    return true;
  }
}

function mayStartOrPlan(state: State, group: WaitingGroup): boolean {
  return !isFull(state, group) || (mayPlan(state) && mayBePlannedNow(state, group));
}

function isFull(state: State, { jobs, wish }: WaitingGroup): boolean {
  const { spec, account } = jobs[0]!;
  return isKnownFull(state, upToDate(state, wish, spec), spec, account);
}

function mayPlan({ policy, planned }: State): boolean {
  return policy.backfill && planned.size < plansMax;
}

function mayBePlannedNow(state: State, { jobs }: WaitingGroup): boolean {
  return isWhole(jobs[0]!.spec) && mayBePlanned(state, jobs[0]!);
}

/** Only starts on whole GPUs are planned. */
function isWhole({ gpus }: JobSpec): boolean {
  return gpus.some(({ count, part }) => count > 0 && part === undefined);
}

/** Those whom a guarantee of an account that holds less than before, or beside it, may hold now. */
function* claimants(state: State, relieved: ReadonlySet<AccountNo>): Generator<WaitingGroup> {
  const tenants = new Set<AccountNo>();
  for (const account of relieved) if (state.accounts[account] !== undefined) tenants.add(tenantOf(state, account).no);
  for (const tenant of tenants) yield* insistingBelow(state, tenant);
}

function* insistingBelow(state: State, account: AccountNo): Generator<WaitingGroup> {
  for (const group of state.waiting.ofAccount(account)) {
    const job = group.jobs[0]!;
    if (mayInsist(state, job, upToDate(state, group.wish, job.spec))) yield group;
  }
  for (const child of accountOf(state, account).children) yield* insistingBelow(state, child);
}
