import type { Job } from "@tessera/wire";
import { durationText } from "../output/time.ts";
import type { Paint } from "../terminal.ts";
import { printable } from "../terminal.ts";

/** How a job ended, in a line. */
export function endedText(job: Job, paint: Paint): string {
  const ok = job.outcome === "succeeded";
  const how =
    job.outcome === "failed" && job.exitCode !== undefined
      ? `failed with exit code ${job.exitCode}`
      : (job.outcome ?? "ended");
  const ran =
    job.startedAt === undefined || job.endedAt === undefined
      ? ""
      : ` after ${durationText(Date.parse(job.endedAt) - Date.parse(job.startedAt))}`;
  const detail = ok || job.detail === undefined || job.detail === "" ? "" : `: ${printable(job.detail)}`;
  return `${paint(ok ? "green" : "red", `${job.name} ${how}`)}${ran}${detail}`;
}
