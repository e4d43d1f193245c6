import type { Job } from "@tessera/wire";
import type { Style } from "../terminal.ts";

/** Where a job stands in a word or two: its state, or how it ended. */
export function stateText(job: Pick<Job, "state" | "held" | "outcome" | "exitCode" | "elements">): string {
  if (job.state === "ended") {
    const outcome = job.outcome ?? "ended";
    return outcome === "failed" && job.exitCode !== undefined ? `failed (${job.exitCode})` : outcome;
  }
  return job.state === "waiting" && job.held ? "held" : job.state;
}

const styles: Readonly<Record<string, Style>> = {
  waiting: "yellow",
  held: "magenta",
  starting: "cyan",
  running: "green",
  stopping: "cyan",
  succeeded: "dim",
};

export function stateStyle(job: Pick<Job, "state" | "held" | "outcome">): Style {
  if (job.state === "ended") return styles[job.outcome ?? ""] ?? "red";
  return styles[job.held && job.state === "waiting" ? "held" : job.state] ?? "reset";
}

/** `8 H100`, `2` for any model, `-` for a job without GPUs. */
export function gpusText(job: Pick<Job, "gpus" | "gpuModel">): string {
  if (job.gpus === 0) return "-";
  return job.gpuModel === "*" || job.gpuModel === "" ? String(job.gpus) : `${job.gpus} ${job.gpuModel}`;
}

/** The nodes that a job is on, each once. */
export function nodesText(job: Pick<Job, "members">): string {
  return [...new Set(job.members.map((member) => member.node))].join(", ");
}

/** Members of the gang, also of one that has ended and holds nothing any more. */
export function gangSize({ members, attempts = [], spec }: Pick<Job, "members" | "attempts" | "spec">): number {
  const asked = [spec.members, spec.nodes].map((count) => Number.parseInt(String(count), 10) || 1);
  return Math.max(1, members.length, ...asked, ...attempts.map(({ nodes }) => nodes.length));
}
