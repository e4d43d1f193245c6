import type { Event } from "../journal/event.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { BudgetStop } from "../money/budget.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { stopJob } from "./stop.ts";

/** Stops jobs because a budget is spent: gracefully, back into the queue, where they wait with reason `budget`. */
export function stopForBudget(
  state: ReadonlyState,
  path: string,
  stop: BudgetStop | "none",
  now: Instant,
  why = `the budget of ${path} is spent`,
): Event[] {
  const events: Event[] = [];
  for (const job of activeUnder(state, path, stop)) events.push(...stopJob(state, job, "budget", now, undefined, why));
  return events;
}

/** Jobs of an account and below that a budget with this consequence would stop, had it been spent by now. */
export function jobsStoppedBy(state: ReadonlyState, path: string, stop: BudgetStop | "none", now: Instant): Job[] {
  return [...activeUnder(state, path, stop)].filter((job) => stopJob(state, job, "budget", now).length > 0);
}

function* activeUnder(state: ReadonlyState, path: string, stop: BudgetStop | "none"): Generator<Job> {
  const account = state.accountByPath.get(path);
  if (account === undefined || (stop !== "stop-burst" && stop !== "stop-all")) return;
  const below = [account.no];
  for (let no = below.pop(); no !== undefined; no = below.pop()) {
    below.push(...state.accounts[no]!.children);
    for (const job of state.active.of(no)) if (stop === "stop-all" || job.class === "burst") yield job;
  }
}
