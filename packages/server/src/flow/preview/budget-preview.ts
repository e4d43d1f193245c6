import { type Budget, jobsStoppedBy, type User } from "@tessera/core";
import type { BudgetPreview } from "@tessera/wire";
import { heldGpus } from "../../render/job.ts";
import { timestamp } from "../../render/quantities.ts";
import { budgetStandings, reachedBy } from "../bill/budget.ts";
import type { ControlPlane } from "../control.ts";
import { CountedJobs } from "./counted-jobs.ts";

/** Where a budget would stand if it were set now, counted as it would be counted then, and which jobs it would stop. */
export async function previewBudget(
  control: Pick<ControlPlane, "state" | "rated" | "now">,
  user: User,
  budget: Budget,
): Promise<BudgetPreview> {
  const { state } = control;
  const now = control.now();
  const [standing] = await budgetStandings(control, [budget], now);
  const { account, fromAt, toAt, spentMicros, forecastMicros, spentAt } = standing!;
  const { stop, perMille } = reachedBy(budget, spentMicros);
  const stops = new CountedJobs(state, user);
  for (const job of jobsStoppedBy(state, account, stop, now)) stops.add(job, heldGpus(job.leases));
  return {
    ...{ account, currency: budget.currency, from: timestamp(fromAt), to: timestamp(toAt) },
    ...{ spentMicros: String(spentMicros), forecastMicros: String(forecastMicros) },
    ...(spentAt !== undefined && { spentAt: timestamp(spentAt) }),
    ...{ passedPerMille: perMille, stops: stops.shown() },
  };
}
