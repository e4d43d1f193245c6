import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { mayReplaceByOrder } from "../../queue/cost-to-end.ts";
import { queueOrderOf } from "../../quota/accounts.ts";
import { lowestPriority } from "../../state/live-jobs.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Victim } from "../draft/victim.ts";
import type { Claimant } from "./claimant.ts";
import { isCoveredAsLow } from "./cover.ts";
import { isInsideMinRuntime, isTakeable } from "./protection.ts";

/**
 * T3 by counts alone: whether the account has less urgent work, or equally urgent work where the job must not be
 * preempted or where the account's order may evict [O3].
 */
export function mayTakeOwn(state: ReadonlyState, { account, spec }: Job): boolean {
  const lowest = lowestPriority(state, account);
  if (lowest !== spec.priority) return lowest < spec.priority;
  return !spec.preemptible || queueOrderOf(state, account) === "index";
}

/** Whether T3 or O3 might let one job of an account have the seats of another; `mayReplace` decides. */
export function mightReplace(state: ReadonlyState, job: Job, other: Job): boolean {
  if (other.spec.priority < job.spec.priority || !job.spec.preemptible) return true;
  if (other.spec.priority === job.spec.priority && queueOrderOf(state, job.account) === "index") return true;
  return other.spec.members.max > other.spec.members.min;
}

/** T3 and O3 for one victim: lower in priority or in the account's order, and covered no lower than the claimant. */
export function mayReplace(state: ReadonlyState, claimant: Claimant, victim: Victim, now: Instant): boolean {
  return mayPreempt(state, claimant.job, victim, now) && isCoveredAsLow(state, claimant.cover, victim.cover);
}

function mayPreempt(state: ReadonlyState, job: Job, victim: Victim, now: Instant): boolean {
  const other = victim.job;
  // Growth comes after all waiting minimums, whatever the priority [P1].
  if (victim.extra) return other.state !== "stopping";
  if (!isTakeable(victim) || isInsideMinRuntime(state, other, now)) return false;
  return outranks(job, other) || mayReplaceByOrder(state, job, other);
}

/** T3: lower priority; a job that must not be preempted also takes burst work of its own priority. */
export function outranks(job: Job, other: Job): boolean {
  if (other.spec.priority < job.spec.priority) return true;
  return !job.spec.preemptible && other.class === "burst" && other.spec.priority === job.spec.priority;
}
