import { type Instant, outputsUsual, pathUp, type ReadonlyState } from "@tessera/core";
import { standingAccount } from "../find/find-job.ts";

/** How long the outputs of a job that ended then are kept: by the lowest account that says so. */
export function keptUntil(state: ReadonlyState, path: string, endedAt: Instant): Instant {
  for (const { terms } of pathUp(state, standingAccount(state, path, endedAt).no))
    if (terms.limits.outputsKeptMs !== undefined) return endedAt + terms.limits.outputsKeptMs;
  return endedAt + outputsUsual.keptMs;
}
