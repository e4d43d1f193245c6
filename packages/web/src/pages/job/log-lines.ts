import type { LogEntry } from "@tessera/wire";
import { useEffect, useState } from "react";
import { addressOf } from "../../api/call.ts";
import { withProof } from "../../api/proof.ts";

const linesMax = 20_000;
/** So many lines are read at first, and all that are kept where a line is looked for. */
const firstLines = 5_000;
const retryMs = 1_500;

export interface LogLines {
  readonly lines: readonly LogEntry[];
  readonly state: "reading" | "following" | "ended" | "refused";
  /** Whether there are lines before them. */
  readonly cut: boolean;
  readonly why?: string;
}

/** Splits arriving text into whole lines; an unfinished line is kept for the next part. */
export function splitLines(rest: string, text: string): { entries: LogEntry[]; rest: string } {
  const parts = (rest + text).split("\n");
  const last = parts.pop()!;
  return { entries: parts.filter((part) => part !== "").map((part) => JSON.parse(part) as LogEntry), rest: last };
}

/** Both by time; the server sends lines in order, but those of a rank that was slow to answer come after others. */
export function addByTime(all: readonly LogEntry[], later: readonly LogEntry[]): LogEntry[] {
  const joined = [...all, ...later];
  const last = all.at(-1);
  const inOrder = later.every(({ at }, i) => at >= (i === 0 ? (last?.at ?? "") : later[i - 1]!.at));
  return inOrder ? joined : joined.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Names a line in an address: its time, its rank, and its place among the lines of that rank in that millisecond. */
export function nameOfLine(lines: readonly LogEntry[], line: LogEntry): string {
  return `${line.at} ${line.rank} ${lines.filter((other) => isBeside(other, line)).indexOf(line)}`;
}

export function findLine(lines: readonly LogEntry[], name: string | null): LogEntry | undefined {
  const [at, rank, place] = name?.split(" ") ?? [];
  return at === undefined
    ? undefined
    : lines.filter((line) => isBeside(line, { at, rank: Number(rank) }))[Number(place)];
}

function isBeside(line: LogEntry, { at, rank }: Pick<LogEntry, "at" | "rank">): boolean {
  return line.at === at && line.rank === rank;
}

/** The log of a job as it grows, read again when the job or rank changes; `whole`: as much of it as is kept in a browser. */
export function useLogLines(job: string, rank: number | undefined, live: boolean, whole: boolean): LogLines {
  const of = `${job} ${rank}`;
  const [shown, setShown] = useState<LogLines & { readonly of: string }>(nothingOf(of));
  useEffect(() => {
    const gone = new AbortController();
    const tail = whole ? linesMax : firstLines;
    let all: LogEntry[] = [];
    let cut = false;
    let frame = 0;
    const show = (state: LogLines["state"], why?: string) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setShown({ of, lines: all, state, cut, ...(why && { why }) }));
    };
    const read = async (): Promise<"ended" | "refused"> => {
      const query = { follow: live, tail, ...(rank !== undefined && { rank }) };
      const response = await fetch(addressOf("readLogs", { job }, query), {
        headers: withProof(),
        signal: gone.signal,
      });
      all = [];
      // Of what was printed before one asked; what comes later only makes it longer.
      const askedAt = new Date().toISOString();
      let before = 0;
      if (!response.ok) {
        const problem = (await response.json()) as { detail: string };
        show("refused", problem.detail);
        return "refused";
      }
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return "ended";
        const split = splitLines(rest, value);
        rest = split.rest;
        all = addByTime(all, split.entries);
        before += split.entries.filter(({ at }) => at < askedAt).length;
        cut = before >= tail || all.length > linesMax;
        if (all.length > linesMax) all = all.slice(-linesMax);
        show(live ? "following" : "reading");
      }
    };
    const follow = async () => {
      for (;;) {
        const end = await read().catch(() => "lost" as const);
        if (gone.signal.aborted || end === "refused") return;
        // A job that is only being placed has no log yet, and one that starts again gets another.
        if (end === "ended" && !live) return show("ended");
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    // The same log read in another way stays in sight until it has come: when a job ends, its end is what one reads.
    setShown((before) => (before.of === of ? before : nothingOf(of)));
    void follow();
    return () => {
      gone.abort();
      cancelAnimationFrame(frame);
    };
  }, [of, job, rank, live, whole]);
  return shown;
}

const nothingOf = (of: string) => ({ of, lines: [], state: "reading", cut: false }) as const;
