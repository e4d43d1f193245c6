import type { LogEntry } from "@tessera/wire";

/** Names a line in an address: its time, its rank, and its place among the lines of that rank in that millisecond. */
export function nameOfLine(lines: readonly LogEntry[], line: LogEntry): string {
  return `${line.at} ${line.rank} ${lines.filter((other) => isBeside(other, line)).indexOf(line)}`;
}

/** The line with a name, if it is among these. */
export function findLine<Line extends LogEntry>(lines: readonly Line[], name: string | null): Line | undefined {
  const { at, rank, place } = partsOf(name);
  return at === undefined ? undefined : lines.filter((line) => isBeside(line, { at, rank }))[place];
}

/** When the line with a name was printed. */
export function timeOfLine(name: string | null): string | undefined {
  const { at } = partsOf(name);
  return at !== undefined && Number.isFinite(Date.parse(at)) ? at : undefined;
}

/** More ranks than these do not fit side by side. */
export const columnsMax = 8;

/** The ranks that are shown side by side: those that are asked for (`0-3, 8`), or the first. */
export function columnsOf(asked: string | null, ranks: number): number[] {
  const chosen = new Set<number>();
  for (const part of (asked ?? "").split(",")) {
    const [, first, last = first] = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6}))?\s*$/.exec(part) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last), ranks - 1, Number(first) + columnsMax);
    for (let rank = Number(first); rank <= end; rank++) chosen.add(rank);
  }
  const all = chosen.size > 0 ? [...chosen] : Array.from({ length: ranks }, (_, rank) => rank);
  return all.slice(0, columnsMax).sort((a, b) => a - b);
}

function partsOf(name: string | null): { at: string | undefined; rank: number; place: number } {
  const [at, rank, place] = name?.split(" ") ?? [];
  return { at, rank: Number(rank), place: Number(place) };
}

function isBeside(line: LogEntry, { at, rank }: Pick<LogEntry, "at" | "rank">): boolean {
  return line.at === at && line.rank === rank;
}
