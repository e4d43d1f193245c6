import { type AccountNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isInside } from "../quota/accounts.ts";
import { demandOf, modelOn } from "../quota/demand.ts";
import { lowestPriority } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { Ends } from "./ends.ts";
import type { JobDemand } from "./future-quota.ts";

/** Whether a running job is burst work that a guarantee may reclaim [T1]. */
export function isReclaimable({ cover, state, spec }: Job): boolean {
  return cover === noAccount && spec.preemptible && state !== "stopping";
}

/** Burst work outside a guarantee that will still run at an instant: a job inside the guarantee can reclaim it. */
export function* reclaimableOutside(
  state: ReadonlyState,
  ends: Ends,
  floor: AccountNo,
  at: Instant,
): Generator<JobDemand> {
  const { active, usage } = state;
  if (usage[rootAccount]!.burst === 0) return;
  for (const [account, jobs] of active.entries()) {
    if (isInside(state, account, floor)) continue;
    for (const job of jobs) if (isReclaimable(job) && ends.runsPast(job, at)) yield demandOfRunning(state, job);
  }
}

/** By node: the whole GPUs that such work will hold. */
export function gpusReclaimableOutside(
  state: ReadonlyState,
  ends: Ends,
  floor: AccountNo,
  at: Instant,
): Map<NodeNo, number> {
  const { gpuHeldFor } = state.fleet;
  const gpusOn = new Map<NodeNo, number>();
  for (const { job } of reclaimableOutside(state, ends, floor, at)) {
    for (const { node, gpus, part } of job.leases) {
      const whole = part === undefined ? gpus.filter((gpu) => gpuHeldFor[gpu] === 0).length : 0;
      if (whole > 0) gpusOn.set(node, (gpusOn.get(node) ?? 0) + whole);
    }
  }
  return gpusOn;
}

/** Running work of lower priority in a job's own account. */
export function preemptibleBy(state: ReadonlyState, { account, spec }: Job): JobDemand[] {
  if (lowestPriority(state, account) >= spec.priority) return [];
  const lesser: JobDemand[] = [];
  for (const job of state.active.of(account)) {
    if (job.spec.priority >= spec.priority || !job.spec.preemptible || job.state === "stopping") continue;
    lesser.push(demandOfRunning(state, job));
  }
  return lesser;
}

/** When a running job is past `min_runtime`, and may be preempted [T8]. */
export function exposedAt({ policy }: ReadonlyState, { placedAt }: Job): Instant {
  return placedAt + policy.minRuntimeMs;
}

/** A running job with what its least number of members holds. */
function demandOfRunning(state: ReadonlyState, job: Job): JobDemand {
  return { job, demand: demandOf(state, job, job.choice, modelOn(state, job.leases)) };
}
