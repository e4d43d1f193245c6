import type { LogEntry, QueryOf } from "@tessera/wire";
import type { Api } from "../http.ts";
import { readLines } from "../lines.ts";

/** Reads one answer of log lines; with `follow` it lasts until the attempt is over. */
export async function* readLogLines(
  api: Api,
  job: string,
  query: QueryOf<"readLogs">,
  signal?: AbortSignal,
): AsyncGenerator<LogEntry> {
  const stream = await api.open(
    "readLogs",
    { at: { job }, query },
    { accept: "application/x-ndjson", ...(signal && { signal }) },
  );
  yield* readLines<LogEntry>(stream);
}
