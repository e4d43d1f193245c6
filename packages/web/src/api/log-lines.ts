import type { LogEntry, QueryOf } from "@tessera/wire";
import { type Limits, readObjects } from "./objects.ts";

/** Reads lines of a log that are there. A log that grows is followed on the stream of all windows. */
export function readLines(job: string, query: QueryOf<"readLogs">, limits: Limits = {}): Promise<LogEntry[]> {
  return readObjects("readLogs", { job }, query, limits);
}
