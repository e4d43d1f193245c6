import { type Job, shieldedUntil } from "../../model/job.ts";
import type { Policy } from "../../model/policy.ts";
import type { Instant } from "../../model/units.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Victim } from "../draft/victim.ts";

/** C4: a job with `preemptible: false` is never taken; nor is one that is stopping already or holds nothing. */
export function isTakeable({ job, leases }: Pick<Victim, "job" | "leases">): boolean {
  return job.state !== "stopping" && job.spec.preemptible && leases.length > 0;
}

/** T8: `min_runtime` protects a job from T2, T3 and O3, not from T1. */
export function isInsideMinRuntime(
  { policy }: ReadonlyState,
  { placedAt }: Pick<Job, "placedAt">,
  now: Instant,
): boolean {
  return now - placedAt < policy.minRuntimeMs;
}

/** T2 for one victim as far as the policy and T8 decide it. Neither protects extra members of an elastic job. */
export function mayRebalance(state: ReadonlyState, { job, extra }: Victim, now: Instant): boolean {
  if (extra) return state.policy.rebalance !== "off";
  if (!isRebalanced(state.policy, job.spec.checkpoint !== undefined)) return false;
  return !isInsideMinRuntime(state, job, now) && shieldedUntil(job) <= now;
}

/** What decides `mayRebalance` for many jobs of one account at once. */
interface RebalancedClass {
  /** They checkpoint. */
  readonly saves: boolean;
  /** None of them was placed before. */
  readonly oldestAt: Instant;
}

/** Whether `mayRebalance` may hold for some job of a class; false = for none. */
export function mayRebalanceSome(state: ReadonlyState, { saves, oldestAt }: RebalancedClass, now: Instant): boolean {
  return isRebalanced(state.policy, saves) && !isInsideMinRuntime(state, { placedAt: oldestAt }, now);
}

/** T2: the policy allows it for all jobs, only for jobs that checkpoint, or not at all. */
function isRebalanced({ rebalance }: Policy, saves: boolean): boolean {
  return rebalance === "on" || (rebalance === "checkpointed" && saves);
}
