import type { ContainerStatus, Pod } from "../api/types.ts";
import { memberContainer } from "../names.ts";

export function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return all.find(({ name }) => name === container);
}

export function isRunning(pod: Pod, container: string): boolean {
  return statusOf(pod, container)?.state?.running !== undefined;
}

/** The member itself; other containers of its pod may go on. */
export function hasEnded(pod: Pod): boolean {
  return (
    statusOf(pod, memberContainer)?.state?.terminated !== undefined ||
    ["Succeeded", "Failed"].includes(pod.status?.phase ?? "")
  );
}
