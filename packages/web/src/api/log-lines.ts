import type { LogEntry, QueryOf } from "@tessera/wire";
import { addressOf, Refused, Unreachable } from "./call.ts";
import { problemOf } from "./problem.ts";
import { withProof } from "./proof.ts";

/** Reads lines of a log that are there, at most `max` of them. A log that grows is followed on the stream of all windows. */
export async function readLines(
  job: string,
  query: QueryOf<"readLogs">,
  { signal, max = Number.POSITIVE_INFINITY }: { signal?: AbortSignal; max?: number } = {},
): Promise<LogEntry[]> {
  const enough = new AbortController();
  const response = await fetch(addressOf("readLogs", { job }, query), {
    headers: withProof(),
    signal: signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]),
  }).catch((cause) => {
    throw (cause as Error).name === "AbortError" ? cause : new Unreachable("The server does not answer.", { cause });
  });
  if (!response.ok) throw new Refused(await problemOf(response));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const lines: LogEntry[] = [];
  for (let rest = ""; lines.length < max; ) {
    const { value, done } = await reader.read();
    if (done) return lines;
    const split = splitLines(rest, value);
    rest = split.rest;
    for (const line of split.entries) lines.push(line);
  }
  enough.abort();
  return lines.slice(0, max);
}

/** Splits arriving text into whole lines; an unfinished line is kept for the next part. */
function splitLines(rest: string, text: string): { entries: LogEntry[]; rest: string } {
  const parts = (rest + text).split("\n");
  const last = parts.pop()!;
  return { entries: parts.filter((part) => part !== "").map((part) => JSON.parse(part) as LogEntry), rest: last };
}
