import type { Event } from "../journal/event.ts";
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
  if (stop !== "stop-burst" && stop !== "stop-all") return [];
  const account = state.accountByPath.get(path);
  if (account === undefined) return [];
  const events: Event[] = [];
  const below = [account.no];
  for (let no = below.pop(); no !== undefined; no = below.pop()) {
    below.push(...state.accounts[no]!.children);
    for (const job of state.active.of(no)) {
      if (stop === "stop-burst" && job.class !== "burst") continue;
      events.push(...stopJob(state, job, "budget", now, undefined, why));
    }
  }
  return events;
}
