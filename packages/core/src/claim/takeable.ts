import { type AccountNo, noAccount } from "../model/ids.ts";
import { type Job, shieldedUntil } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { mayTakeTurn } from "../queue/cost-to-end.ts";
import { accountOf, isInside, pathUp, queueOrderOf } from "../quota/accounts.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor, floorOf, isWithin } from "../quota/guarantee.ts";
import { addTo, type Held, minus, nothingHeld, stayingOf } from "../quota/held.ts";
import type { State } from "../state/state.ts";
import { mayTakeOwn } from "./own-work.ts";
import { type Victim, victimsOf } from "./victim.ts";

/** `O3`: the order of the account itself, where it has chosen one that may evict. */
export type Rule = "T1" | "T2" | "T3" | "O3";

/** Whether a victim is of the claimant's own account. */
export function isOwn(rule: Rule): boolean {
  return rule === "T3" || rule === "O3";
}

/** What a claim stands on: who claims, for what, and which account's guarantee would cover it. */
export interface Claimant {
  readonly job: Job;
  readonly demand: Demand;
  /** `noAccount` when it would be burst. */
  readonly cover: AccountNo;
  /** The accounts above it, itself first, without the root. */
  readonly path: ReadonlySet<AccountNo>;
}

/**
 * The ways in which a job may claim, best first: by a guarantee that holds it on what stays now, else as burst; then by
 * those that would hold it without what it may take from its own account, from the top down: a higher one asks for less.
 */
export function standingsOf(state: State, job: Job, demand: Demand, now: Instant): Claimant[] {
  const path = new Set<AccountNo>();
  for (const account of pathUp(state, job.account)) path.add(account.no);
  const burst: Claimant = { job, demand, cover: noAccount, path };
  const covered = coverFor(state, job.account, demand, (account) => stayingOf(state, account.no));
  const standings = covered === noAccount && !job.spec.preemptible ? [] : [{ ...burst, cover: covered }];
  for (const account of [...pathUp(state, job.account)].toReversed()) {
    if (account.no === covered || (covered !== noAccount && !isInside(state, account.no, covered))) continue;
    const standing = { ...burst, cover: account.no };
    const own = mayLeaveFor(state, standing, now);
    if (own.units === 0 && own.cpusMilli === 0 && own.memoryMiB === 0) continue;
    if (isWithin(state, account, minus(stayingOf(state, account.no), own), demand)) standings.push(standing);
  }
  return standings;
}

/** All that the claimant may take from its own account. */
function mayLeaveFor(state: State, claimant: Claimant, now: Instant): Held {
  const own = nothingHeld();
  if (state.elastic.size === 0 && !mayTakeOwn(state, claimant.job)) return own;
  for (const other of state.active.of(claimant.job.account)) {
    if (!mayYield(state, claimant.job, other)) continue;
    const takeable = victimsOf(other).filter((victim) => mayReplace(state, claimant, victim, now));
    // Where the whole job may be taken, its extra members are in it.
    const whole = takeable.find((victim) => !victim.extra);
    for (const victim of whole === undefined ? takeable : [whole]) {
      for (const lease of victim.leases) addTo(own, state.fleet, lease, 1);
    }
  }
  return own;
}

/** The rule by which the claimant may take a victim, if any; what it says of the whole set is checked on the plan. */
export function ruleFor(state: State, claimant: Claimant, victim: Victim, now: Instant): Rule | undefined {
  const { job, cover } = victim;
  if (job.state === "stopping" || !job.spec.preemptible || victim.leases.length === 0) return undefined;
  if (job === claimant.job) return undefined;
  if (job.account === claimant.job.account) {
    if (!mayReplace(state, claimant, victim, now)) return undefined;
    return victim.extra || outranks(claimant.job, job) ? "T3" : "O3";
  }
  if (cover !== noAccount && !claimant.path.has(cover)) return undefined;
  if (claimant.cover !== noAccount && !isInside(state, job.account, claimant.cover)) return "T1";
  return mayRebalance(state, victim, now) ? "T2" : undefined;
}

/** Whether T3 or O3 might let one job of an account have the seats of another; a first look. */
export function mayYield(state: State, job: Job, other: Job): boolean {
  if (other.spec.priority < job.spec.priority || !job.spec.preemptible) return true;
  if (other.spec.priority === job.spec.priority && queueOrderOf(state, job.account) === "index") return true;
  return other.spec.members.max > other.spec.members.min;
}

/** T3: lower priority; work that must not be preempted also takes burst work of its own priority. O3: who is behind. */
function mayPreempt(state: State, { job }: Claimant, victim: Victim, now: Instant): boolean {
  const other = victim.job;
  // Growth comes after all waiting minimums, whatever the priority.
  if (victim.extra) return other.state !== "stopping";
  if (other.state === "stopping" || !other.spec.preemptible || isNew(state, other, now)) return false;
  return outranks(job, other) || mayTakeTurn(state, job, other);
}

function outranks(job: Job, other: Job): boolean {
  if (other.spec.priority < job.spec.priority) return true;
  return !job.spec.preemptible && other.class === "burst" && other.spec.priority === job.spec.priority;
}

/** T3, second half: covered work only for work that is covered at least as low. */
function mayReplace(state: State, claimant: Claimant, victim: Victim, now: Instant): boolean {
  if (!mayPreempt(state, claimant, victim, now)) return false;
  if (victim.cover === noAccount) return true;
  return claimant.cover !== noAccount && isInside(state, claimant.cover, victim.cover);
}

/** T2 and T8 for one victim, whatever its side. */
export function mayRebalance(state: State, { job, extra }: Victim, now: Instant): boolean {
  const { rebalance } = state.policy;
  if (rebalance === "off") return false;
  if (extra) return true;
  if (rebalance === "checkpointed" && job.spec.checkpoint === undefined) return false;
  return !isNew(state, job, now) && shieldedUntil(job) <= now; // T8
}

/** Whether a side that has so many GPU units left has what it is guaranteed: of weight 0 it may lose what is beyond [T2]. */
export function keepsFloor(state: State, side: AccountNo, unitsLeft: number): boolean {
  return unitsLeft >= floorOf(state, accountOf(state, side)).units;
}

/** It started so lately that the owner's policy leaves it where it is [T8]. */
export function isNew(state: State, victim: Job, now: Instant): boolean {
  return now - victim.placedAt < state.policy.minRuntimeMs;
}
