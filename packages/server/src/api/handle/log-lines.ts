import { type LeaseId, leaseIdOf } from "@tessera/core";
import type { LogLine } from "@tessera/engine";
import type { LogEntry } from "@tessera/wire";
import type { FoundJob } from "../../flow/find/find-job.ts";
import type { Api } from "../context.ts";
import { type Picking, pickLines } from "./log-pick.ts";
import type { Run } from "./log-run.ts";
import { laterWarnings, streamOf, warningsIn } from "./log-warnings.ts";
import { type Joining, mergeByTime } from "./merge-logs.ts";

/** Which lines of a run are wanted. */
export interface LinesAsk {
  readonly rank: number | undefined;
  /** For each rank; of lines that are picked, for all ranks together. */
  readonly tail: number | undefined;
  readonly sinceAt: number | undefined;
  readonly follow: boolean;
  readonly picking: Picking | undefined;
}

/** The lines of one rank or of all, by time, with what the job was warned of; until the end or until `gone`. */
export function linesOf(
  api: Api,
  target: FoundJob,
  run: Run | undefined,
  ask: LinesAsk,
  gone: AbortSignal,
): AsyncIterable<LogLine> {
  if (run === undefined) return streamOf([]);
  const { rank, tail, sinceAt, follow, picking } = ask;
  const ranks = rank === undefined ? Array.from({ length: run.members }, (_, i) => i) : [rank];
  const query = {
    ...(tail !== undefined && picking === undefined && { tail }),
    ...(sinceAt !== undefined && { sinceAt }),
    ...(follow && { follow }),
    signal: gone,
  };
  const logOf = (rank: number) => api.control.logs(leaseIdOf(run.job as never, run.attempt, rank) as LeaseId, query);
  const about = { ...run, from: Math.max(run.from, sinceAt ?? 0), rank: rank ?? 0 };
  const streams = [...ranks.map(logOf), streamOf(warningsIn(api.feed, about))];
  const joining = follow
    ? both(rank === undefined ? laterMembers(target, run, logOf) : undefined, laterWarnings(api.feed, about))
    : undefined;
  const lines = mergeByTime(streams, gone, joining);
  return picking === undefined ? lines : pickLines(lines, picking, tail);
}

/** A line as the API shows it. */
export function entryOf({ at, rank, stream, text }: LogLine): LogEntry {
  return { at: new Date(at).toISOString(), rank, stream, text };
}

function both<Item>(one: Joining<Item> | undefined, other: Joining<Item>): Joining<Item> {
  return (add) => {
    const ends = [one?.(add), other(add)];
    return () => {
      for (const end of ends) end?.();
    };
  };
}

/** How often we look whether an elastic job has grown. */
const growthEveryMs = 500;

/** The logs of members that an elastic job gains while its log is followed. */
function laterMembers(
  target: FoundJob,
  run: Run,
  logOf: (rank: number) => AsyncIterable<LogLine>,
): Joining<LogLine> | undefined {
  if (!("live" in target) || "size" in target.live) return undefined;
  const job = target.live;
  if (job.spec.members.max === job.spec.members.min) return undefined;
  return (add) => {
    let known = run.members;
    const timer = setInterval(() => {
      while (job.attempt === run.attempt && known < job.seats.length) add(logOf(known++));
    }, growthEveryMs);
    return () => clearInterval(timer);
  };
}
