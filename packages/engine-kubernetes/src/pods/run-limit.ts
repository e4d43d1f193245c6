import type { Pod } from "../api/types.ts";
import { annotation } from "../names.ts";
import { timeOf } from "./status.ts";

/** How long a member may run, in ms; 0 = without a limit. */
export function runMsMaxOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.[annotation.runMsMax] ?? 0);
}

/** What `activeDeadlineSeconds` should be now that it runs, if it is not: the cluster counts it from before the start. */
export function deadlineOf(pod: Pod, began: number): number | undefined {
  const runMsMax = runMsMaxOf(pod);
  if (runMsMax === 0) return undefined;
  const before = Math.max(0, began - (timeOf(pod.status?.startTime) ?? began));
  // Times of the cluster are whole seconds: one more, so that no member is given less than its time.
  const seconds = Math.ceil((before + runMsMax) / 1000) + 1;
  return Number(pod.spec.activeDeadlineSeconds) > seconds ? seconds : undefined;
}
