import { readFileSync } from "node:fs";
import { BadInput } from "../command/command.ts";

/** A job of a Slurm accounting file that asked for GPUs and ran. */
export interface SacctJob {
  readonly name: string;
  readonly account: string;
  readonly user: string;
  readonly submitAt: number;
  /** When it really started. */
  readonly startedAt: number;
  readonly runMs: number;
  readonly gpus: number;
  readonly nodes: number;
  /** Absent where it had none. */
  readonly limitMs?: number;
}

const columns = ["JobID", "Account", "User", "Submit", "Start", "End", "AllocTRES", "NNodes", "Timelimit"] as const;
type Column = (typeof columns)[number];

/**
 * Reads `sacct --parsable2 --allocations --format=JobID,Account,User,Submit,Start,End,AllocTRES,NNodes,Timelimit`, in order
 * of submission. Steps, jobs that never ran and jobs without GPUs are left out; times are read as UTC.
 */
export function readSacct(path: string): SacctJob[] {
  return parseSacct(readFileSync(path, "utf8"), path);
}

export function parseSacct(text: string, path: string): SacctJob[] {
  const [header = "", ...lines] = text.split(/\r?\n/);
  const names = header.split("|");
  const places = new Map(columns.map((column) => [column, names.indexOf(column)]));
  const missing = columns.filter((column) => places.get(column)! < 0);
  if (missing.length > 0) {
    const format = columns.join(",");
    throw new BadInput(`${path}: ${missing.join(", ")} missing; write it with sacct -P -X --format=${format}`);
  }
  const jobs: SacctJob[] = [];
  for (const line of lines) {
    const fields = line.split("|");
    const field = (column: Column) => fields[places.get(column)!] ?? "";
    const [submitAt, startedAt, endedAt] = [field("Submit"), field("Start"), field("End")].map(instantOf);
    const gpus = gpusOf(field("AllocTRES"));
    if (line === "" || field("JobID").includes(".") || gpus === 0 || !(endedAt! > startedAt!)) continue;
    const limitMs = durationOf(field("Timelimit"));
    jobs.push({
      name: field("JobID"),
      account: field("Account"),
      user: field("User"),
      submitAt: submitAt!,
      startedAt: startedAt!,
      runMs: endedAt! - startedAt!,
      gpus,
      nodes: Math.max(1, Number(field("NNodes")) || 1),
      ...(limitMs !== undefined && { limitMs }),
    });
  }
  return jobs.sort((a, b) => a.submitAt - b.submitAt);
}

/** NaN for `Unknown` and `None`. */
function instantOf(text: string): number {
  return Date.parse(`${text}Z`);
}

/** `cpu=8,gres/gpu=4,gres/gpu:h100=4`: the plain entry counts all models, else they are added up. */
function gpusOf(tres: string): number {
  const all = /(?:^|,)gres\/gpu=(\d+)/.exec(tres);
  if (all !== null) return Number(all[1]);
  let gpus = 0;
  for (const [, count] of tres.matchAll(/(?:^|,)gres\/gpu:[^=,]+=(\d+)/g)) gpus += Number(count);
  return gpus;
}

/** `[days-]hours:minutes:seconds`; undefined for `UNLIMITED` and `Partition_Limit`. */
function durationOf(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(\d+):(\d+):(\d+)$/.exec(text);
  if (match === null) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1_000;
}
