import { isRefusal, parseDuration } from "@tessera/core";
import type { LogLine } from "@tessera/engine";
import { streamHeader } from "@tessera/wire/addresses";
import type { FastifyReply } from "fastify";
import { instantOrAgo } from "../../flow/zones.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import { taken } from "../watch/shared.ts";
import { entryOf, type LinesAsk, linesOf } from "./log-lines.ts";
import { pickedMax } from "./log-pick.ts";
import { followRights } from "./log-rights.ts";
import { type Run, runOf } from "./log-run.ts";
import { tellLog } from "./log-topic.ts";

/** Answers with log lines of one rank or of all, by time, or tells them on the stream that the request names. */
export async function sendLogs(api: Api, call: Call<"readLogs">, reply: FastifyReply): Promise<Denial | undefined> {
  const { query, target } = call;
  if ("live" in target && "size" in target.live) {
    const { id, spec } = target.live;
    return deny(
      "invalid",
      "An array has no log of its own.",
      `Name an element, such as ${id}.${spec.array!.first}.`,
      "job",
      id,
    );
  }
  const run = runOf(target, query.attempt);
  const ask = askOf(call, run, api.control.now());
  if (isDenied(ask)) return ask;
  const stream = reply.request.headers[streamHeader];
  const lines = (gone: AbortSignal) => linesOf(api, target, run, ask, gone);
  if (typeof stream === "string") return tellLog(api, call, stream, { run, lines }, reply);
  return sendLines(api, call, lines, reply);
}

/** What is asked for, or why it cannot be read. */
function askOf({ query, target }: Call<"readLogs">, run: Run | undefined, now: number): LinesAsk | Denial {
  const instants = new Map<string, number>();
  for (const name of ["since", "until"] as const) {
    const text = query[name];
    if (text === undefined) continue;
    const at = instantOrAgo(text, name, now, (ago) => parseDuration(ago, name));
    if (isRefusal(at)) return at;
    instants.set(name, at);
  }
  if (run === undefined && query.attempt !== undefined) {
    return deny(
      "invalid",
      "The job has no such attempt.",
      "Leave attempt out for the last one.",
      "attempt",
      query.attempt,
    );
  }
  const { rank, tail, find, errors, follow } = query;
  if (rank !== undefined && run !== undefined && rank >= run.members) {
    return deny("invalid", `The ranks of this job go from 0 to ${run.members - 1}.`, "", "rank", rank);
  }
  const untilAt = instants.get("until");
  const picks = find !== undefined || errors === true || untilAt !== undefined;
  if (picks && follow) {
    const words = "cannot be used together with find, errors or until";
    return deny("invalid", words, "Leave follow out: these look through what is there.", "follow", follow);
  }
  if (picks && tail !== undefined && tail > pickedMax)
    return deny("invalid", `is at most ${pickedMax} with find, errors or until`, "Ask for fewer lines.", "tail", tail);
  const picking = {
    ...(find !== undefined && { find }),
    ...(errors !== undefined && { errors }),
    ...(untilAt !== undefined && { untilAt }),
  };
  return {
    ...{ rank, tail, sinceAt: instants.get("since"), picking: picks ? picking : undefined },
    follow: follow === true && "live" in target,
  };
}

/** Answers with one JSON object a line, until the end or the client leaves. */
async function sendLines(
  api: Api,
  call: Call<"readLogs">,
  linesUntil: (gone: AbortSignal) => AsyncIterable<LogLine>,
  reply: FastifyReply,
): Promise<Denial | undefined> {
  const full = api.streams.full(call.principal);
  if (full !== undefined) return full;
  const gone = new AbortController();
  const { raw } = reply;
  raw.on("close", () => gone.abort());
  raw.on("error", () => gone.abort());
  const uncount = followRights(api, call, gone, raw);
  reply.hijack();
  raw.socket?.setTimeout(0); // a job may be silent for hours
  raw.writeHead(200, {
    "content-type": "application/x-ndjson",
    "cache-control": "no-store",
    "x-request-id": call.requestId,
  });
  raw.flushHeaders();
  try {
    for await (const line of linesUntil(gone.signal)) {
      if (gone.signal.aborted) break;
      if (!raw.write(`${JSON.stringify(entryOf(line))}\n`)) await taken(raw, gone.signal);
    }
    raw.end();
  } catch {
    // What was sent stands; a line that is cut off tells the reader that it was not all.
    raw.destroy();
  } finally {
    uncount();
    gone.abort();
  }
  return undefined;
}
