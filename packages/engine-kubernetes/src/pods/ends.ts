import type { Report, ReportWhat } from "@tessera/core";
import type { Condition, Pod } from "../api/types.ts";
import { annotation } from "../names.ts";
import { isHeld, memberStatus, startedAt, stopMarkOf, timeOf } from "./status.ts";
import { doneMessage } from "./wrapper.ts";

export type End = Extract<ReportWhat, { kind: "exited" | "refused" | "lost" }>;

export interface EndFound {
  /** The time limit ended it: that is reported first. */
  readonly overran: boolean;
  readonly end: End;
  readonly at?: number;
}

/** Reasons of a pod as a whole for which its node or the cluster is to blame; the member may run again elsewhere. */
const nodeReasons =
  /^(Evicted|NodeLost|NodeShutdown|Terminated|Shutdown|Preempting|UnexpectedAdmissionError|NodeAffinity|OutOf.*|.*AdmissionError)$/;

const lostContainer = "ContainerStatusUnknown";

/** How a pod that is over ended, with what Kubernetes said of it and what was told of it before. */
export function endOf(pod: Pod, told: readonly Report[]): EndFound {
  const { status, metadata } = pod;
  const mark = stopMarkOf(pod);
  const terminated = memberStatus(pod)?.state?.terminated;
  const began = startedAt(pod);
  const finished = timeOf(terminated?.finishedAt);
  const at = finished !== undefined && finished > 0 ? finished : timeOf(metadata.deletionTimestamp);
  const found = (end: End, overran = false): EndFound => ({ overran, end, ...(at !== undefined && { at }) });

  if (began === undefined && terminated?.reason === lostContainer && told.some(({ what }) => what.kind === "started")) {
    // A kubelet that cannot find a container any more takes back when it began, and says that it was killed.
    if (mark !== undefined) return found({ kind: "exited", ran: true, code: terminated.exitCode });
    return found({ kind: "lost", reason: lossOf(pod) ?? said("the node lost its container", terminated.message) });
  }
  if (began === undefined || terminated === undefined) {
    if (mark?.verdict !== undefined) return found(mark.verdict);
    if (mark !== undefined && began === undefined) return found({ kind: "exited", ran: false });
    const start = terminated?.reason === "StartError" || terminated?.reason === "ContainerCannotRun";
    if (start)
      return found({ kind: "refused", reason: said("its container could not be started", terminated.message) });
    return found({ kind: "lost", reason: lossOf(pod) ?? "its pod ended, and how is not known" });
  }

  const { exitCode: code } = terminated;
  const done = terminated.message?.includes(doneMessage) === true ? { done: true } : {};
  if (status?.reason === "DeadlineExceeded" && !endedBefore(pod, began, finished)) {
    return found({ kind: "exited", ran: true, code, limit: "time", ...done }, true);
  }
  if (mark !== undefined) return found({ kind: "exited", ran: true, code, ...done });
  if (terminated.reason === "OOMKilled") {
    return found({ kind: "exited", ran: true, code, limit: "memory", reason: "OOMKilled", ...done });
  }
  const loss = lossOf(pod, finished);
  if (loss !== undefined && !("done" in done)) return found({ kind: "lost", reason: loss });
  if (terminated.reason === lostContainer) {
    return found({ kind: "lost", reason: said("the node lost its container", terminated.message) });
  }
  // What the first process of the member could not say otherwise, such as a work folder that is not there.
  const reason = code !== 0 && terminated.message !== undefined ? { reason: terminated.message.trim() } : {};
  return found({ kind: "exited", ran: true, code, ...reason, ...done });
}

/** A kubelet that is late may see both at once: that the limit is over, and that the member ended before. */
function endedBefore({ metadata }: Pod, began: number, finished: number | undefined): boolean {
  const runMsMax = Number(metadata.annotations?.[annotation.runMsMax] ?? 0);
  return finished !== undefined && finished - began < runMsMax;
}

/** Why the cluster, and neither the member nor Tessera, ended a pod; undefined if it did not. */
function lossOf(pod: Pod, finished?: number): string | undefined {
  const { status, metadata } = pod;
  const disrupted = status?.conditions?.find(
    ({ type, status: value }) => type === "DisruptionTarget" && value === "True",
  );
  if (disrupted !== undefined && !isAfter(disrupted, finished)) {
    return said(disruptions[disrupted.reason ?? ""] ?? `the cluster ended it (${disrupted.reason})`, disrupted.message);
  }
  if (status?.reason !== undefined && nodeReasons.test(status.reason)) {
    return said(`its node ended it: ${status.reason}`, status.message);
  }
  const deletedAt = timeOf(metadata.deletionTimestamp);
  if (deletedAt !== undefined) {
    const askedAt = deletedAt - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    if (finished === undefined || finished >= askedAt) {
      return isHeld(pod)
        ? "its pod was deleted in the cluster while it was held"
        : "its pod was deleted in the cluster";
    }
  }
  if (finished === undefined && status?.phase === "Failed") {
    return said(`its pod failed${status.reason === undefined ? "" : `: ${status.reason}`}`, status.message);
  }
  return undefined;
}

const disruptions: { readonly [reason: string]: string } = {
  PreemptionByScheduler: "a pod of higher priority took its place",
  DeletionByTaintManager: "a taint of its node drove it out",
  EvictionByEvictionAPI: "it was evicted",
  DeletionByPodGC: "its node is not in the cluster any more",
  TerminationByKubelet: "its node ended it",
};

/** It had ended by itself before it was told to leave. */
function isAfter({ lastTransitionTime }: Condition, finished: number | undefined): boolean {
  const at = timeOf(lastTransitionTime);
  return at !== undefined && finished !== undefined && at > finished;
}

export function said(what: string, message: string | undefined): string {
  const text = message?.trim() ?? "";
  return text === "" ? what : `${what}: ${text.slice(0, 500)}`;
}
