import type { LogEntry } from "@tessera/wire";
import { useEffect, useState } from "react";
import { useAddress } from "../../frame/address.ts";
import type { LogLine } from "./log-buffer.ts";
import { findLine, nameOfLine, timeOfLine } from "./log-places.ts";
import { isSame } from "./log-search.ts";
import { type LogShown, useLogAround } from "./use-log.ts";

export interface LogPlace {
  /** The lines that are shown: the newest, or those around the place. */
  readonly lines: readonly LogLine[];
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
  /** The instant around which lines are shown; undefined for the newest. */
  readonly at: string | undefined;
  /** The line of the address. */
  readonly marked: LogLine | undefined;
  /** The address has a line that is not kept any more. */
  readonly isGone: boolean;
  mark(line: LogLine): void;
  /** Shows a line that may not have been read. */
  goTo(line: LogEntry): void;
  /** Shows the newest lines again. */
  leave(): void;
}

/** Which part of a log is shown, and which line of it the address names. */
export function useLogPlace(job: string, rank: number | undefined, newest: LogShown): LogPlace {
  const [params, set] = useAddress();
  const name = params.get("line");
  const [at, setAt] = useState<string>();
  const [sought, setSought] = useState<LogEntry>();
  const around = useLogAround(job, rank, at);
  const { lines, cutBefore, cutAfter } =
    at === undefined ? { lines: newest.lines, cutBefore: newest.cut, cutAfter: false } : (around.data ?? nothing);
  const marked = findLine(lines, name);
  const isRead = at === undefined ? newest.state === "ended" || newest.cut : around.data !== undefined;
  // A link to a line from before the newest ones: it is read where it is.
  const wantedAt = marked === undefined && isRead && at === undefined && newest.cut ? timeOfLine(name) : undefined;
  useEffect(() => {
    if (wantedAt !== undefined) setAt(wantedAt);
  }, [wantedAt]);
  const found = sought && lines.find((line) => isSame(line, sought));
  useEffect(() => {
    if (found === undefined) return;
    setSought(undefined);
    set({ line: nameOfLine(lines, found) });
  }, [found, lines, set]);
  return {
    ...{ lines, cutBefore, cutAfter, at, marked },
    isGone: name !== null && marked === undefined && isRead && sought === undefined && wantedAt === undefined,
    mark: (line) => set({ line: nameOfLine(lines, line) }),
    goTo(line) {
      setSought(line);
      if (!lines.some((known) => isSame(known, line))) setAt(line.at);
    },
    leave() {
      setAt(undefined);
      setSought(undefined);
      set({ line: undefined });
    },
  };
}

const nothing = { lines: [], cutBefore: false, cutAfter: false } as const;
