import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { isRefusal, type LeaseId, leaseIdOf, parseDuration } from "@tessera/core";
import type { LogLine } from "@tessera/engine";
import type { Job as WireJob } from "@tessera/wire";
import type { FastifyReply } from "fastify";
import type { FoundJob } from "../../flow/find/find-job.ts";
import { instantOrAgo } from "../../flow/zones.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import { stillMay } from "../guard/streams.ts";
import { laterWarnings, streamOf, warningsIn } from "./log-warnings.ts";
import { type Joining, mergeByTime } from "./merge-logs.ts";

/** A reader that takes nothing for this long is cut off. */
const unreadMsMax = 60_000;

/** Which attempt has logs, and how many members it had. */
interface Run {
  readonly job: string;
  readonly attempt: number;
  readonly members: number;
  /** Between the end of the attempt before and its own. */
  readonly from: number;
  readonly to: number;
}

/** Streams the log lines of one rank or of all, by time, one JSON object a line, until the end or the client leaves. */
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
  const sinceAt =
    query.since === undefined
      ? undefined
      : instantOrAgo(query.since, "since", api.control.now(), (text) => parseDuration(text, "since"));
  if (isRefusal(sinceAt)) return sinceAt;
  const run = runOf(target, query.attempt);
  if (run === undefined && query.attempt !== undefined) {
    return deny(
      "invalid",
      "The job has no such attempt.",
      "Leave attempt out for the last one.",
      "attempt",
      query.attempt,
    );
  }
  if (query.rank !== undefined && run !== undefined && query.rank >= run.members) {
    return deny("invalid", `The ranks of this job go from 0 to ${run.members - 1}.`, "", "rank", query.rank);
  }
  const full = api.streams.full(call.principal);
  if (full !== undefined) return full;
  const gone = new AbortController();
  const { raw } = reply;
  raw.on("close", () => gone.abort());
  raw.on("error", () => gone.abort());
  const uncount = followRights(api, call, gone, raw);
  const ranks =
    run === undefined ? [] : query.rank === undefined ? Array.from({ length: run.members }, (_, i) => i) : [query.rank];
  const ask = {
    ...(query.tail !== undefined && { tail: query.tail }),
    ...(sinceAt !== undefined && { sinceAt }),
    ...(query.follow && "live" in target && { follow: true }),
    signal: gone.signal,
  };
  const logOf = (rank: number) => api.control.logs(leaseIdOf(run!.job as never, run!.attempt, rank) as LeaseId, ask);
  const about = run && { ...run, from: Math.max(run.from, sinceAt ?? 0), rank: query.rank ?? 0 };
  const streams = [...ranks.map(logOf), ...(about === undefined ? [] : [streamOf(warningsIn(api.feed, about))])];
  const joining = both(
    ask.follow && query.rank === undefined ? laterMembers(target, run, logOf) : undefined,
    ask.follow && about !== undefined ? laterWarnings(api.feed, about) : undefined,
  );
  reply.hijack();
  raw.socket?.setTimeout(0); // a job may be silent for hours
  raw.writeHead(200, {
    "content-type": "application/x-ndjson",
    "cache-control": "no-store",
    "x-request-id": call.requestId,
  });
  raw.flushHeaders();
  try {
    await write(raw, mergeByTime(streams, gone.signal, joining), gone.signal);
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

/** Cuts the answer off once the caller may no longer read it; what it waits for is cancelled. */
export function followRights(
  api: Api,
  { principal, target }: Pick<Call<"readLogs">, "principal" | "target">,
  gone: AbortController,
  raw: ServerResponse,
): () => void {
  const { account, own } = target;
  return api.streams.add({
    principal,
    over: () => !stillMay(api, principal, "job.logs", account, own),
    end() {
      gone.abort();
      raw.destroy();
    },
  });
}

async function write(raw: NodeJS.WritableStream, lines: AsyncIterable<LogLine>, gone: AbortSignal): Promise<void> {
  for await (const { at, rank, stream, text } of lines) {
    if (gone.aborted) return;
    const line = JSON.stringify({ at: new Date(at).toISOString(), rank, stream, text });
    if (!raw.write(`${line}\n`)) {
      await once(raw as never, "drain", { signal: AbortSignal.any([gone, AbortSignal.timeout(unreadMsMax)]) });
    }
  }
}

function both<Item>(one: Joining<Item> | undefined, other: Joining<Item> | undefined): Joining<Item> {
  return (add) => {
    const ends = [one?.(add), other?.(add)];
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
  run: Run | undefined,
  logOf: (rank: number) => AsyncIterable<LogLine>,
): Joining<LogLine> | undefined {
  if (run === undefined || !("live" in target) || "size" in target.live) return undefined;
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

/** The attempt asked for, or the last that ran; undefined when none has. */
function runOf(target: FoundJob, attempt: number | undefined): Run | undefined {
  if ("ended" in target) return endedRun(JSON.parse(target.ended.doc) as WireJob, attempt);
  const job = target.live;
  if ("size" in job) return undefined;
  const last = job.state === "waiting" ? job.attempt - 1 : job.attempt;
  const wanted = attempt ?? last;
  if (wanted < 1 || wanted > last) return undefined;
  const seats = wanted === job.attempt ? job.seats : job.attempts.find((past) => past.attempt === wanted)?.seats;
  // Of attempts that are no longer kept one by one only the most members they can have begun with is known.
  const endOf = (attempt: number) => job.attempts.find((past) => past.attempt === attempt)?.endedAt;
  return {
    ...{ job: job.id, attempt: wanted, members: seats?.length ?? job.spec.members.max },
    ...{ from: endOf(wanted - 1) ?? 0, to: endOf(wanted) ?? Number.POSITIVE_INFINITY },
  };
}

function endedRun(doc: WireJob, attempt: number | undefined): Run | undefined {
  const attempts = doc.attempts ?? [];
  const oldest = attempts[0];
  if (oldest !== undefined && attempt !== undefined && attempt > 0 && attempt < oldest.attempt)
    return { job: doc.id, attempt, members: oldest.nodes.length, from: 0, to: Date.parse(oldest.placedAt) };
  const found = attempt === undefined ? attempts.at(-1) : attempts.find((each) => each.attempt === attempt);
  const before = attempts.findLast((each) => found !== undefined && each.attempt < found.attempt);
  return (
    found && {
      ...{ job: doc.id, attempt: found.attempt, members: found.nodes.length },
      ...{ from: before === undefined ? 0 : Date.parse(before.endedAt), to: Date.parse(found.endedAt) },
    }
  );
}
