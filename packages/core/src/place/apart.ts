import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A job that seats are searched for; without a number it is not submitted yet. */
export type SeatSeeker = Pick<Job, "account" | "spec"> & Partial<Pick<Job, "no" | "alone">>;

/**
 * Nodes where a job of the same account holds or claims seats from which this job is to be kept apart, whichever of the
 * two says so [P8]; undefined where there are none. A stopping job counts until it has left.
 */
export function nodesOfOthers(state: ReadonlyState, job: SeatSeeker): ReadonlySet<NodeNo> | undefined {
  if (!state.apart.concerns(job)) return undefined;
  const nodes = new Set<NodeNo>();
  for (const other of state.active.of(job.account))
    if (areApart(job, other)) for (const { node } of other.leases) nodes.add(node);
  for (const other of state.claimants)
    if (other.account === job.account && areApart(job, other))
      for (const { node } of other.claim?.seats ?? []) nodes.add(node);
  return nodes.size === 0 ? undefined : nodes;
}

function areApart(job: SeatSeeker, other: Job): boolean {
  if (job.no === other.no) return false;
  return says(job, other) || says(other, job);
}

function says({ spec }: Pick<Job, "spec">, other: Pick<Job, "spec">): boolean {
  return spec.apartFrom?.includes(other.spec.name) === true;
}
