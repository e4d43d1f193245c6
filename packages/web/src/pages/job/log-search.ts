import type { LogEntry } from "@tessera/wire";
import { readLines } from "../../api/log-lines.ts";

/** What the server looks for in lines that were not read. */
export type Wanted = { readonly errors: true } | { readonly find: string };

/** Lines of the last millisecond that was read may go on in what was not. */
const sameInstantMax = 100;

/** The next line after those that were read, or the last before them, that the server finds in the whole log. */
export async function findBeyond(
  { job, rank }: { readonly job: string; readonly rank: number | undefined },
  wanted: Wanted,
  step: 1 | -1,
  lines: readonly LogEntry[],
): Promise<LogEntry | undefined> {
  const of = rank === undefined ? wanted : { ...wanted, rank };
  const edge = step < 0 ? lines[0] : lines.at(-1);
  if (edge === undefined) return (await readLines(job, { ...of, tail: 1 })).at(-1);
  if (step < 0) return (await readLines(job, { ...of, until: edge.at, tail: 1 })).at(-1);
  const later = await readLines(job, { ...of, since: edge.at }, { max: sameInstantMax });
  return later.find((line) => line.at > edge.at || !lines.some((known) => isSame(known, line)));
}

/** The nearest such line after the marked one, or before it; from the beginning or the end where none is marked. */
export function nextLine<Line extends LogEntry>(
  lines: readonly Line[],
  marked: Line | undefined,
  step: 1 | -1,
  is: (line: Line) => boolean,
): Line | undefined {
  const at = marked === undefined ? -1 : lines.indexOf(marked);
  const isBeyond = (line: Line, i: number) => {
    if (marked === undefined) return true;
    // The marked line may be hidden by what the reader has chosen to see.
    if (at < 0) return step > 0 ? line.at >= marked.at : line.at < marked.at;
    return step > 0 ? i > at : i < at;
  };
  const wanted = (line: Line, i: number) => isBeyond(line, i) && is(line);
  return step > 0 ? lines.find(wanted) : lines.findLast(wanted);
}

/** Whether both are the same line, read at different times. */
export function isSame(one: LogEntry, other: LogEntry): boolean {
  return one.at === other.at && one.rank === other.rank && one.text === other.text;
}
