import type { LeaseId, Report, ReportWhat } from "@tessera/core";
import type { Pod } from "../api/types.ts";
import { annotation } from "../names.ts";
import { runMsMaxOf } from "./run-limit.ts";
import { startedAt, timeOf } from "./status.ts";

/**
 * The reports that a pod stands for, up to its end. Everything in them comes from the pod, from what no later change of it
 * takes back: after a restart they are numbered and timed as they were.
 */
export function progressOf(lease: LeaseId, pod: Pod): Report[] {
  const { annotations = {}, creationTimestamp, namespace, name, uid } = pod.metadata;
  const reports: Report[] = [];
  const tell = (at: number | undefined, what: ReportWhat) =>
    reports.push(nextReport(lease, pod, reports, at ?? 0, what));
  const madeAt = timeOf(creationTimestamp);
  if (annotations[annotation.scrub] !== undefined) tell(madeAt, { kind: "scrubbed", how: scrubbedHow });
  const reshaped = annotations[annotation.reshape];
  if (reshaped !== undefined) tell(madeAt, { kind: "reshaped", how: `by the cluster, to ${reshaped}` });
  tell(madeAt, { kind: "prepared", engineId: `${namespace}/${name}/${uid}`, enforcement: enforcementOf(pod) });
  const began = startedAt(pod);
  if (began !== undefined) tell(began, { kind: "started" });
  return reports;
}

/** The next report of a lease; time does not run backwards between reports, whatever the clocks of nodes say. */
export function nextReport(
  lease: LeaseId,
  pod: Pod | undefined,
  before: readonly Report[],
  at: number,
  what: ReportWhat,
): Report {
  const last = before.at(-1);
  const bootId = pod?.metadata.annotations?.[annotation.boot] ?? last?.bootId ?? "";
  return { lease, sequence: (last?.sequence ?? 0) + 1, bootId, at: Math.max(at, last?.at ?? 0), what };
}

/** The limit was reached so long after the start: the cluster says only that it was. */
export function overranReport(lease: LeaseId, pod: Pod, before: readonly Report[]): Report {
  const at = (startedAt(pod) ?? 0) + runMsMaxOf(pod);
  return nextReport(lease, pod, before, at, { kind: "stopping", cause: "time-limit" });
}

const scrubbedHow = "all processes that had them have ended, and the driver clears memory before others get it";

function enforcementOf({ spec }: Pod): { readonly [limit: string]: string } {
  return {
    cpu: "cgroup of the container",
    memory: "cgroup of the container",
    ...(spec.activeDeadlineSeconds !== undefined && { time: "activeDeadlineSeconds" }),
    ...(spec.volumes?.some(
      ({ name, emptyDir }) => name === "tess" && (emptyDir as { sizeLimit?: string }).sizeLimit,
    ) && {
      scratch: "size limit of the volume",
    }),
  };
}
