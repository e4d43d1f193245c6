import { type BilledAs, currencyOf, jobsStoppedBy, type User } from "@tessera/core";
import type { BillingPreview } from "@tessera/wire";
import { heldGpus } from "../../render/job.ts";
import { creditStanding, isUsedUp } from "../bill/credit.ts";
import type { ControlPlane } from "../control.ts";
import { CountedJobs } from "./counted-jobs.ts";

/** Where a tenant would stand with its credit if it were billed like this, and which jobs would stop at once. */
export async function previewBilling(
  control: Pick<ControlPlane, "state" | "rated" | "now">,
  user: User,
  tenant: string,
  as: BilledAs,
): Promise<BillingPreview> {
  const { state } = control;
  const now = control.now();
  const standing = await creditStanding(control, tenant, as, now);
  const stopped = isUsedUp(standing);
  const stops = new CountedJobs(state, user);
  const ended = jobsStoppedBy(state, tenant, stopped ? "stop-burst" : "none", now);
  for (const job of ended) stops.add(job, heldGpus(job.leases));
  const { owedMicros, openMicros, leftMicros } = standing;
  return {
    ...{ tenant, currency: currencyOf(state.books.versions) },
    ...{ owedMicros: String(owedMicros), openMicros: String(openMicros) },
    ...(leftMicros !== undefined && { leftMicros: String(leftMicros) }),
    ...{ stopped, stops: stops.shown() },
  };
}
