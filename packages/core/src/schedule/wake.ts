import { mayInsist } from "../claim/prospects.ts";
import type { AccountNo } from "../model/ids.ts";
import { isKnownFull } from "../place/known-full.ts";
import { mayBePlanned, mayPlan } from "../plan/patience.ts";
import type { Contest } from "../queue/order.ts";
import { accountOf, pathUp } from "../quota/accounts.ts";
import { isWithin } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { someOf } from "../state/rivals.ts";
import type { State } from "../state/state.ts";
import type { WaitingGroup } from "../state/waiting.ts";
import type { Shape } from "../state/wish.ts";
import { upToDate } from "../state/wish-of.ts";

/** Whom an event may have unblocked. */
export interface Awake {
  /** Those who are looked at for all they could do. */
  readonly groups: readonly WaitingGroup[];
  /** What seats there may be: whoever else wants such is looked at for free seats only. */
  readonly shapes: readonly Shape[];
}

/**
 * Groups that an event may have unblocked. Where many wait, these are: those for whom there may be free seats; those who
 * may have a guarantee to claim by; and every so often as many others as are given a turn to look whom they might take,
 * one after the other, so that a decision does not take longer the more wait.
 */
export function takeAwake(state: State, turns: number): Awake {
  const { waiting } = state;
  const fresh = waiting.takeFresh();
  const changed = waiting.takeChanged();
  const relieved = waiting.takeRelieved();
  const plans = waiting.takePlansDue() && mayPlan(state);
  if (!changed && !(waiting.hasTurns && turns > 0)) return forAll(fresh);
  if (!waiting.isLong) {
    waiting.endRound();
    return forAll([...waiting.groups]);
  }
  const all = new Set<WaitingGroup>([...fresh, ...claimants(state, relieved), ...waiting.takeTurns(turns)]);
  if (changed) for (const group of waiting.insisting) all.add(group);
  return forAll([...all], changed || plans ? shapesToHope(state, all) : []);
}

function forAll(groups: readonly WaitingGroup[], shapes: readonly Shape[] = []): Awake {
  for (const group of groups) group.seatsOnly = false;
  return { groups, shapes };
}

export function isAnyoneAwake({ groups, shapes }: Awake): boolean {
  return groups.length + shapes.length > 0;
}

/** What may be started or planned after a change by others than those who are looked at for `all` they could do. */
function shapesToHope(state: State, all: ReadonlySet<WaitingGroup>): Shape[] {
  const shapes: Shape[] = [];
  for (const shape of state.waiting.shapes) {
    const isLeft = (group: WaitingGroup) => !all.has(group);
    if (someOf(shape, isLeft) !== undefined && hasHope(state, shape)) shapes.push(shape);
  }
  return shapes;
}

/** Of those who are looked at for free seats only so many are told in one pass that what is free is kept for others. */
const refusalsMax = 16;

/**
 * Who competes in a pass, and for what seats those hope who are looked at for free seats only. As soon as none of a shape
 * are left, whoever wants such need not be asked one by one; none at all when the first of them have found that all are
 * kept for plans. Their turn comes later.
 */
export class SeatHopes {
  readonly #state: State;
  readonly #groups: readonly WaitingGroup[];
  #shapes: readonly Shape[];
  readonly #told = new Set<WaitingGroup>();
  #refusals = 0;
  #isToBeAsked = false;

  constructor(state: State, { groups, shapes }: Awake) {
    this.#state = state;
    this.#groups = groups;
    this.#shapes = shapes;
  }

  /** Between all who have not been told. */
  contest(): Contest {
    const groups = this.#groups.filter((group) => group.jobs.length > 0 && !this.#told.has(group));
    const isOut = (group: WaitingGroup) => group.seatsOnly && !mayStartOrPlan(this.#state, group);
    return this.#state.contests.of(this.#state, this.#shapes).begin(groups, this.#told, isOut);
  }

  /** Someone has started. */
  taken(): void {
    this.#isToBeAsked = true;
  }

  /** Someone has found no seat. */
  refused(group: WaitingGroup): void {
    this.#isToBeAsked = true; // it may have been planned, and no more are
    this.#told.add(group);
    if (group.seatsOnly) this.#refusals++;
  }

  /** Whether seats of fewer shapes are left to hope for: others compete then. */
  areFewer(): boolean {
    if (!this.#isToBeAsked || this.#shapes.length === 0) return false;
    this.#isToBeAsked = false;
    const left = this.#refusals < refusalsMax ? this.#shapes.filter((shape) => hasHope(this.#state, shape)) : [];
    const areFewer = left.length < this.#shapes.length;
    this.#shapes = left;
    return areFewer;
  }
}

/** Whether someone who wants such seats might start, or be planned. */
function hasHope(state: State, shape: Shape): boolean {
  const some = shape.waiting.first?.groups.first;
  if (some === undefined) return false;
  if (mayPlan(state)) return true;
  // Who asks makes no difference, unless it is only neighbours who stand in the way.
  if (shape.fullFor.size === 0) return !isFull(state, some);
  return someOf(shape, (group) => !isFull(state, group)) !== undefined;
}

function mayStartOrPlan(state: State, group: WaitingGroup): boolean {
  return !isFull(state, group) || (mayPlan(state) && mayBePlannedNow(state, group));
}

function isFull(state: State, { jobs, wish }: WaitingGroup): boolean {
  const { spec, account } = jobs[0]!;
  return isKnownFull(state, upToDate(state, wish, spec), spec, account);
}

function mayBePlannedNow(state: State, { jobs }: WaitingGroup): boolean {
  return mayBePlanned(state, jobs[0]!);
}

/** Those whom the guarantee of an account that holds less than before, or of one above it, may hold now. */
function* claimants(state: State, relieved: ReadonlySet<AccountNo>): Generator<WaitingGroup> {
  const highest = new Set<AccountNo>();
  for (const account of relieved) {
    if (state.accounts[account] === undefined) continue;
    let above = account;
    for (const each of pathUp(state, account)) if (isWithin(state, each, stayingOf(state, each.no))) above = each.no;
    highest.add(above);
  }
  for (const account of highest) yield* insistingBelow(state, account);
}

function* insistingBelow(state: State, account: AccountNo): Generator<WaitingGroup> {
  for (const group of state.waiting.ofAccount(account)) {
    const job = group.jobs[0]!;
    if (mayInsist(state, job, upToDate(state, group.wish, job.spec))) yield group;
  }
  for (const child of accountOf(state, account).children) yield* insistingBelow(state, child);
}
