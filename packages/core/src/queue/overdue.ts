import { gangGpus } from "../learn/lengths.ts";
import type { Job } from "../model/job.ts";
import type { State } from "../state/state.ts";

/**
 * So many times as long as what it found waiting would take a job has waited before it is overdue: over several nodes, and
 * with several GPUs in one. Both did best on real traces.
 */
const timesOverNodes = 1.75;
const timesInOneNode = 3;

/**
 * Whether an order by what jobs need has let a job wait for far longer than its turn would have taken: then it goes before
 * those of its account that are not [O3]. A job of one GPU always finds room soon.
 */
export function isOverdue(state: State, { spec, submittedAt, backlogMs }: Job): boolean {
  if (backlogMs === undefined || gangGpus(spec) === 1) return false;
  return state.clock - submittedAt > backlogMs * (spec.members.min > 1 ? timesOverNodes : timesInOneNode);
}
