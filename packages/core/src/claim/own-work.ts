import type { Job } from "../model/job.ts";
import { queueOrderOf } from "../quota/accounts.ts";
import { lowestPriority } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
/**
 * T3: something of its own account that is less urgent, or as urgent where it must not be preempted itself, or where the
 * order of the account may evict [O3].
 */
export function mayTakeOwn(state: State, { account, spec }: Job): boolean {
  const lowest = lowestPriority(state, account);
  if (lowest !== spec.priority) return lowest < spec.priority;
  return !spec.preemptible || queueOrderOf(state, account) === "index";
}
