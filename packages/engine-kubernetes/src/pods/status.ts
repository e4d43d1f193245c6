import type { ContainerStatus, Pod } from "../api/types.ts";
import { annotation, heldGate, memberContainer, ownScheduler, reportFinalizer } from "../names.ts";

/** Why the engine gave a member up before it ran. */
export interface Verdict {
  readonly kind: "refused" | "lost";
  readonly reason: string;
}

/** What a stop order, or a verdict of the engine itself, left on a pod before it was deleted. */
export interface StopMark {
  readonly signal: string;
  readonly graceMs: number;
  readonly returns?: boolean;
  readonly verdict?: Verdict;
}

/** Where Tessera will bind it itself; undefined if the scheduler of the cluster does. */
export function boundByUs({ spec, metadata }: Pod): string | undefined {
  return spec.schedulerName === ownScheduler ? metadata.annotations?.[annotation.node] : undefined;
}

/** Nothing starts it until it is let go. */
export function isHeld(pod: Pod): boolean {
  const { spec } = pod;
  if (boundByUs(pod) !== undefined) return spec.nodeName === undefined;
  return spec.schedulingGates?.some(({ name }) => name === heldGate) === true;
}

/** Its end is not acknowledged. */
export function isKept({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(reportFinalizer) === true;
}

export function stopMarkOf({ metadata }: Pod): StopMark | undefined {
  const text = metadata.annotations?.[annotation.stop];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as StopMark;
  } catch {
    return { signal: "SIGTERM", graceMs: 0 }; // changed by others: that it was stopped is all we know
  }
}

export function memberStatus({ status }: Pod): ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === memberContainer);
}

/** When its container began to run; undefined if it never did. */
export function startedAt(pod: Pod): number | undefined {
  const { running, terminated } = memberStatus(pod)?.state ?? {};
  const at = timeOf(running?.startedAt ?? terminated?.startedAt);
  return at !== undefined && at > 0 ? at : undefined;
}

/** Nothing of it runs any more, as far as the cluster knows. */
export function isOver(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  if (phase === "Succeeded" || phase === "Failed") return true;
  // Not on any node, nothing ever ran: a deletion is the end of it.
  return pod.metadata.deletionTimestamp !== undefined && pod.spec.nodeName === undefined;
}

export function timeOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
