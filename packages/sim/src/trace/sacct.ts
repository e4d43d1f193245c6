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
  try {
    return parseSacct(readFileSync(path, "utf8"), path);
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(`${path}: cannot be read: ${(error as Error).message}; give the path of a sacct file`);
  }
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
  for (const [at, line] of lines.entries()) {
    const fields = line.split("|");
    const field = (column: Column) => fields[places.get(column)!] ?? "";
    const read = <Value>(column: Column, parse: (text: string) => Value | undefined, fix: string): Value => {
      const value = parse(field(column));
      if (value === undefined) throw new BadInput(`${path}:${at + 2}: ${column} is "${field(column)}"; ${fix}`);
      return value;
    };
    if (line === "" || field("JobID").includes(".")) continue;
    const gpus = gpusOf(field("AllocTRES"));
    const [startedAt, endedAt] = [read("Start", timeOf, timeFix), read("End", timeOf, timeFix)];
    if (gpus === 0 || startedAt === "never" || endedAt === "never" || endedAt <= startedAt) continue;
    const limitMs = read("Timelimit", limitOf, "write 1-12:00:00, 30:00 or UNLIMITED");
    jobs.push({
      name: field("JobID"),
      account: field("Account"),
      user: field("User"),
      submitAt: read("Submit", instantOf, timeFix),
      startedAt,
      runMs: endedAt - startedAt,
      gpus,
      nodes: read("NNodes", countOf, "write a whole number from 1 on"),
      ...(limitMs !== "none" && { limitMs }),
    });
  }
  return jobs.sort((a, b) => a.submitAt - b.submitAt);
}

const timeFix = "write a time such as 2026-03-01T10:00:00";

function instantOf(text: string): number | undefined {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** A job that has not started or not ended says `Unknown` or `None`. */
function timeOf(text: string): number | "never" | undefined {
  return text === "Unknown" || text === "None" || text === "" ? "never" : instantOf(text);
}

function countOf(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** `cpu=8,gres/gpu=4,gres/gpu:h100=4`: the plain entry counts all models, else they are added up. */
function gpusOf(tres: string): number {
  const all = /(?:^|,)gres\/gpu=(\d+)/.exec(tres);
  if (all !== null) return Number(all[1]);
  let gpus = 0;
  for (const [, count] of tres.matchAll(/(?:^|,)gres\/gpu:[^=,]+=(\d+)/g)) gpus += Number(count);
  return gpus;
}

/** `[days-][hours:]minutes:seconds`, or words for no limit of its own. */
function limitOf(text: string): number | "none" | undefined {
  if (text === "UNLIMITED" || text === "Partition_Limit" || text === "") return "none";
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)$/.exec(text);
  if (match === null) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1_000;
}
