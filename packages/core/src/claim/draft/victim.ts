import { type AccountNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { Instant } from "../../model/units.ts";
import { lostMsOf } from "../../run/lost-work.ts";

/** A whole job, or one extra member of an elastic job: what one eviction takes. */
export interface Victim {
  readonly job: Job;
  readonly leases: readonly Lease[];
  readonly extra: boolean;
  /** The account whose guarantee covers it; extra members are burst [C1]. */
  readonly cover: AccountNo;
  /** The cost by which its account's order puts it behind the claimant; absent unless it is taken by O3. */
  readonly costToEnd?: number;
}

/** The victims that a job can be: its extra members, the last first, then the whole job. */
export function victimsOf(job: Job): Victim[] {
  const victims: Victim[] = [];
  for (const lease of job.leases.toReversed()) {
    if (lease.extra && lease.state !== "stopping")
      victims.push({ job, leases: [lease], extra: true, cover: noAccount });
  }
  victims.push(whole(job));
  return victims;
}

export function whole(job: Job): Victim {
  return { job, leases: stayingLeases(job), extra: false, cover: job.cover };
}

/** Without extra members that are stopping already: their seats cannot be taken again. */
export function stayingLeases({ leases }: Job): readonly Lease[] {
  for (const lease of leases) if (isLeaving(lease)) return leases.filter((each) => !isLeaving(each));
  return leases;
}

function isLeaving({ extra, state }: Lease): boolean {
  return extra === true && state === "stopping";
}

/** Time lost per GPU: since the last checkpoint, else since the start; nothing before it runs. */
export function lostMs({ job, extra }: Victim, now: Instant): number {
  return extra ? 0 : lostMsOf(job, now);
}

/** Work lost if it leaves, in GPU milliseconds. */
export function lostWork(victim: Victim, now: Instant): number {
  return lostMs(victim, now) * gpusOf(victim.leases);
}

export function gpusOf(leases: readonly Lease[]): number {
  let gpus = 0;
  for (const lease of leases) gpus += lease.gpus.length;
  return gpus;
}

/**
 * Which victim of one account leaves first [T5]: extra members, then the lowest priority, the last in an account's order
 * that may evict [O3], the least work lost per GPU, the youngest.
 */
export function leavesFirst(a: Victim, b: Victim, now: Instant): number {
  if (a.extra !== b.extra) return a.extra ? -1 : 1;
  if (a.job.spec.priority !== b.job.spec.priority) return a.job.spec.priority - b.job.spec.priority;
  const behind = (b.costToEnd ?? 0) - (a.costToEnd ?? 0);
  if (behind !== 0) return behind;
  const lost = lostMs(a, now) - lostMs(b, now);
  if (lost !== 0) return lost;
  if (a.job !== b.job) return b.job.no - a.job.no;
  return b.leases[0]!.rank - a.leases[0]!.rank;
}
