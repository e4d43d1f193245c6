import { useQuery } from "@tanstack/react-query";
import type { LogEntry } from "@tessera/wire";
import { useEffect, useMemo, useState } from "react";
import { addressOf } from "../../api/call.ts";
import { watchTopic } from "../../api/live.ts";
import { readLines } from "../../api/log-lines.ts";
import { useLooking } from "../../api/looking.ts";
import { inZone } from "../../format/times.ts";
import { type Begin, LogBuffer, type LogLine } from "./log-buffer.ts";

const linesMax = 20_000;
/** As many lines are read at first, and all that are kept where earlier ones are asked for. */
const firstLines = 5_000;
/** Of each rank at least, since often the first rank alone prints. */
const leastOfRank = { first: 500, whole: 2_000 };
const retryMs = 1_500;
/** What was printed before comes sooner: a log that begins and stays without lines has none. */
const silentMs = 1_000;

export interface LogShown {
  readonly lines: readonly LogLine[];
  readonly state: "reading" | "following" | "ended" | "refused";
  /** Whether there are lines before them. */
  readonly cut: boolean;
  /** Why there is nothing, or nothing more. */
  readonly why?: string;
}

interface Asked {
  readonly job: string;
  readonly rank: number | undefined;
  /** How many ranks print. */
  readonly ranks: number;
  readonly live: boolean;
  /** As many lines as a browser keeps. */
  readonly whole: boolean;
}

const nothing: LogShown = { lines: [], state: "reading", cut: false };

/**
 * The newest lines of a log, followed on the stream that all windows share. A window that is hidden lets go of it, and
 * reads on from where it was.
 */
export function useLog({ job, rank, ranks, live, whole }: Asked): LogShown {
  const of = `${job} ${rank}`;
  const [shown, setShown] = useState<LogShown & { readonly of: string }>({ ...nothing, of });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log, or more of it, has a buffer of its own
  const buffer = useMemo(() => new LogBuffer(linesMax), [of, whole]);
  const looking = useLooking();
  const some = whole ? linesMax : firstLines;
  const tail = Math.max(Math.floor(some / ranks), whole ? leastOfRank.whole : leastOfRank.first);
  useEffect(() => {
    if (!looking) return;
    let leave = () => {};
    let again: ReturnType<typeof setTimeout> | undefined;
    let silent: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const show = (state: LogShown["state"], why?: string) => {
      cancelAnimationFrame(frame);
      const { lines, cut } = buffer;
      frame = requestAnimationFrame(() => setShown({ of, lines, cut, state, ...(why && { why }) }));
    };
    const hear = (event: string, data: string) => {
      clearTimeout(silent);
      if (event === "begin") {
        buffer.begin(JSON.parse(data) as Begin, tail);
        if (live) silent = setTimeout(() => show("following"), silentMs);
      } else if (event === "lines") {
        buffer.add(JSON.parse(data) as LogEntry[]);
        show(live ? "following" : "reading");
      } else if (event === "end") {
        const { whole } = JSON.parse(data) as { whole: boolean };
        if (!live && whole) return show("ended");
        if (!whole) show("reading", "The log cannot be read just now; trying again.");
        // A job that is only being placed has no log yet, and one that starts again gets another.
        again = setTimeout(read, retryMs);
      }
    };
    const read = () => {
      leave();
      const since = buffer.since(ranks);
      const query = { follow: live, tail, ...(rank !== undefined && { rank }), ...(since !== undefined && { since }) };
      leave = watchTopic(addressOf("readLogs", { job }, query), {
        heard: hear,
        refused: ({ detail }) => show("refused", inZone(detail)),
      });
    };
    // The same log read in another way stays in sight until it has come: when a job ends, its end is what one reads.
    setShown((before) => (before.of === of ? before : { ...nothing, of }));
    read();
    return () => {
      leave();
      clearTimeout(again);
      clearTimeout(silent);
      cancelAnimationFrame(frame);
    };
  }, [buffer, looking, of, job, rank, ranks, live, tail]);
  return shown.of === of ? shown : nothing;
}

/** As many lines on either side. */
const sideMax = 2_500;

/** The lines before and after an instant, of a log whose newest lines alone are followed. */
export function useLogAround(job: string, rank: number | undefined, at: string | undefined) {
  const of = rank === undefined ? {} : { rank };
  return useQuery({
    queryKey: ["log around", job, rank, at],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all([
        readLines(job, { ...of, until: at!, tail: sideMax }, { signal }),
        readLines(job, { ...of, since: at! }, { signal, max: sideMax }),
      ]);
      const lines = [...before, ...after].map((entry, no): LogLine => ({ ...entry, no }));
      return { lines, cutBefore: before.length === sideMax, cutAfter: after.length === sideMax };
    },
    enabled: at !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
