import { durationText } from "@tessera/core";
import type { ContainerStatus, Pod } from "../api/types.ts";
import { said } from "./ends.ts";
import type { StopMark } from "./status.ts";

/** How long a member that was let go may take to start, and what that is for which nothing else can be hoped. */
export interface StartLimits {
  /** From the release to the start, whatever happens: images can be large. */
  readonly startMs: number;
  /** For the scheduler of the cluster to confirm the node. */
  readonly scheduleMs: number;
  /** While its image cannot be pulled. */
  readonly pullMs: number;
  /** While its container cannot be made: what it needs may come a moment later. */
  readonly createMs: number;
}

export const usualStartLimits: StartLimits = { startMs: 600_000, scheduleMs: 30_000, pullMs: 60_000, createMs: 20_000 };

const hopeless = new Set(["InvalidImageName", "ErrImageNeverPull"]);
const pulling = new Set(["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError"]);
const making = new Set(["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff"]);

/** Why a member that was let go and has not started is given up now; undefined while it is waited for. */
export function verdictOn(pod: Pod, waitedMs: number, limits: StartLimits): StopMark["verdict"] {
  const waits = waitingOf(pod);
  const why = waits?.state?.waiting?.reason ?? "";
  const message = waits?.state?.waiting?.message;
  const image = pod.spec.containers[0]?.image;
  if (hopeless.has(why) || (pulling.has(why) && waitedMs >= limits.pullMs)) {
    return { kind: "refused", reason: said(`image ${image} cannot be pulled (${why})`, message) };
  }
  if (making.has(why) && waitedMs >= limits.createMs) {
    return { kind: "refused", reason: said(`its container cannot be made (${why})`, message) };
  }
  if (pod.spec.nodeName === undefined && waitedMs >= limits.scheduleMs) {
    const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    const reason = `the cluster did not place it within ${durationText(limits.scheduleMs)}`;
    return { kind: "lost", reason: said(reason, scheduled?.message ?? scheduled?.reason) };
  }
  if (waitedMs < limits.startMs) return undefined;
  return { kind: "lost", reason: said(`it did not start within ${durationText(limits.startMs)}`, message ?? why) };
}

function waitingOf({ status }: Pod): ContainerStatus | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(
    ({ state }) =>
      state?.waiting !== undefined && !/^(PodInitializing|ContainerCreating)$/.test(state.waiting.reason ?? ""),
  );
}
