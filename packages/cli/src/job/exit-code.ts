import type { Job } from "@tessera/wire";
import { platformEnd } from "../exit.ts";
import type { Api } from "../http.ts";

/** What `tess` answers for a job that has ended: its own code, or how the platform ended it. */
export function exitCodeOf(job: Pick<Job, "outcome" | "exitCode">): number {
  switch (job.outcome) {
    case "succeeded":
      return 0;
    case "cancelled":
      return platformEnd.cancelled;
    case "preempted":
      return platformEnd.preempted;
    case "timed-out":
    case "deadline-passed":
      return platformEnd.timeLimit;
    case "over-budget":
      return platformEnd.policy;
    case "infra-failed":
      return platformEnd.infraFailed;
    default:
      return ownCode(job.exitCode);
  }
}

/** A failure never looks like a success, also when the code is missing or does not fit into a byte. */
function ownCode(code: number | undefined): number {
  return (code ?? 1) & 0xff || 1;
}

/** As `exitCodeOf`; for an array the highest code of its elements. */
export async function exitCodeOfEnded(api: Api, job: Job): Promise<number> {
  if (job.elements === undefined || job.outcome === "succeeded") return exitCodeOf(job);
  let highest = job.outcome === undefined ? 0 : exitCodeOf(job);
  for (let cursor: string | undefined; ; ) {
    const query = { array: job.id, state: "all" as const, limit: 1_000, ...(cursor !== undefined && { cursor }) };
    const page = await api.call("listJobs", { query });
    for (const element of page.items) {
      if (element.id !== job.id) highest = Math.max(highest, exitCodeOf(element));
    }
    if (page.next === undefined) return highest;
    cursor = page.next;
  }
}
