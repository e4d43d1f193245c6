import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { hour, type Instant } from "../model/units.ts";
import { borrowedOf, coverFor, type Demand, isNothing } from "../queue/quota.ts";
import { accountOf, pathUp, type State } from "../state/state.ts";
import { addTo, type Held, minus, nothingHeld, stayingOf } from "../state/usage.ts";
import { type Victim, victimsOf } from "./victim.ts";

export type Rule = "T1" | "T2" | "T3";

/** What a claim stands on: who claims, for what, and which account's guarantee would cover it. */
export interface Claimant {
  readonly job: Job;
  readonly demand: Demand;
  /** `noAccount` when it would be burst. */
  readonly cover: AccountNo;
  /** The accounts above it, itself first, without the root. */
  readonly path: ReadonlySet<AccountNo>;
}

export function claimantOf(state: State, job: Job, demand: Demand, now: Instant): Claimant {
  const path = new Set<AccountNo>();
  for (const account of pathUp(state, job.account)) path.add(account.no);
  const standing = { job, demand, cover: noAccount, path };
  // Whether it would be covered is judged on what stays now, less all that it may take from its own account.
  const own = nothingHeld();
  for (const other of state.active.get(job.account) ?? []) {
    const [first, ...more] = victimsOf(other)
      .filter((victim) => mayPreempt(state, standing, victim, now))
      .toReversed();
    // The whole job is last; where it may be taken, its extra members are in it.
    const taken = first === undefined || !first.extra ? [first] : [first, ...more];
    for (const victim of taken) for (const lease of victim?.leases ?? []) addTo(own, state.fleet, lease, 1);
  }
  const cover = coverFor(state, job.account, demand, (account) => minus(stayingOf(state, account.no), own));
  return { ...standing, cover };
}

/** The rule by which the claimant may take a victim, if any; what it says of the whole set is checked on the plan. */
export function ruleFor(state: State, claimant: Claimant, victim: Victim, now: Instant): Rule | undefined {
  const { job, cover } = victim;
  if (job.state === "stopping" || !job.spec.preemptible || victim.leases.length === 0) return undefined;
  if (job === claimant.job) return undefined;
  if (job.account === claimant.job.account) return mayReplace(state, claimant, victim, now) ? "T3" : undefined;
  if (cover !== noAccount && !claimant.path.has(cover)) return undefined;
  if (claimant.cover !== noAccount && !isInside(state, job.account, claimant.cover)) return "T1";
  return mayRebalance(state, victim, now) ? "T2" : undefined;
}

/** T3: lower priority; work that must not be preempted also takes burst work of its own priority. */
function mayPreempt(state: State, { job }: Claimant, victim: Victim, now: Instant): boolean {
  const other = victim.job;
  // Growth comes after all waiting minimums, whatever the priority.
  if (victim.extra) return other.state !== "stopping";
  if (other.state === "stopping" || !other.spec.preemptible || isNew(state, other, now)) return false;
  if (other.spec.priority < job.spec.priority) return true;
  return !job.spec.preemptible && other.class === "burst" && other.spec.priority === job.spec.priority;
}

/** T3, second half: covered work only for work that is covered at least as low. */
function mayReplace(state: State, claimant: Claimant, victim: Victim, now: Instant): boolean {
  if (!mayPreempt(state, claimant, victim, now)) return false;
  if (victim.cover === noAccount) return true;
  return claimant.cover !== noAccount && isInside(state, claimant.cover, victim.cover);
}

function mayRebalance(state: State, { job, extra }: Victim, now: Instant): boolean {
  const { rebalance } = state.policy;
  if (rebalance === "off") return false;
  if (extra) return true;
  if (rebalance === "checkpointed" && job.spec.checkpoint === undefined) return false;
  return !isNew(state, job, now) && !isShielded(job, now);
}

function isNew(state: State, victim: Job, now: Instant): boolean {
  return now - victim.placedAt < state.policy.minRuntimeMs;
}

/** Taken three times within an hour: left alone for an hour [T8]. */
function isShielded({ evictedAt }: Job, now: Instant): boolean {
  const [first, , third] = evictedAt;
  return third !== undefined && third - first! <= hour && now - third < hour;
}

/** Whether an account is `above` or below it. */
export function isInside(state: State, account: AccountNo, above: AccountNo): boolean {
  for (let at = account; at !== noAccount; at = accountOf(state, at).parent) if (at === above) return true;
  return false;
}

/** An account is a source only while it stays above its guarantee [T5]. */
export function isSource(state: State, account: AccountNo, taken: Held | undefined): boolean {
  const staying = stayingOf(state, account);
  return !isNothing(
    borrowedOf(state, accountOf(state, account), taken === undefined ? staying : minus(staying, taken)),
  );
}
