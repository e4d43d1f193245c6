import type { Job } from "@tessera/wire";
import { shortDuration } from "@tessera/wire/duration";
import { type Paint, printable } from "../terminal.ts";
import { failedText } from "./elements.ts";

/** How a job ended, in a line. */
export function endedText(job: Job, paint: Paint): string {
  const ok = job.outcome === "succeeded";
  const detail = ok ? undefined : (failedText(job.elements) ?? job.detail);
  const code =
    job.outcome === "failed" && job.exitCode !== undefined && !detail ? ` with exit code ${job.exitCode}` : "";
  const ran =
    job.startedAt === undefined || job.endedAt === undefined
      ? ""
      : ` after ${shortDuration(Date.parse(job.endedAt) - Date.parse(job.startedAt))}`;
  const how = paint(ok ? "green" : "red", `${printable(job.name)} ${job.outcome ?? "ended"}${code}`);
  return detail ? `${how}${ran}. ${printable(detail)}` : `${how}${ran}`;
}
