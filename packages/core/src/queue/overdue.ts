import { gangGpus } from "../learn/lengths.ts";
import type { Job } from "../model/job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/**
 * A job is overdue once its wait exceeds this multiple of the backlog it found: with members on several nodes, and with
 * several GPUs on one. Both did best on real traces.
 */
const timesOverNodes = 1.75;
const timesInOneNode = 3;

/**
 * Whether a job has waited far longer than its backlog, because shorter jobs went first. Overdue jobs go before the other
 * jobs of their account [O3]. A job of one GPU is never overdue: it finds room soon.
 */
export function isOverdue(state: ReadonlyState, { spec, submittedAt, backlogMs }: Job): boolean {
  if (backlogMs === undefined || gangGpus(spec) === 1) return false;
  return state.clock - submittedAt > backlogMs * (spec.members.min > 1 ? timesOverNodes : timesInOneNode);
}
