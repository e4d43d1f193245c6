import type { Buffer } from "./buffer.ts";
import { baseMs, type ChunkQuery, type Level, type TelemetryFile } from "./file.ts";
import { partsWith } from "./part.ts";
import { type BusyQuery, type TelemetryFilter, type TelemetryGroup, TelemetryTooWide } from "./port.ts";
import type { Columns, RowKey } from "./table.ts";
import type { View } from "./view.ts";

/** What one answer may read. A guess at what keeps the thread free for others; not measured. */
export const rowsReadMax = 6_000_000;

/** What questions are answered from. */
export interface Kept {
  readonly file: TelemetryFile;
  /** What is not on the disk yet. */
  readonly buffers: readonly Buffer[];
}

export type Asked = Pick<BusyQuery, "from" | "to" | "by" | "filter"> & { readonly membersOnly?: boolean };

/** The widest view that can tell the lines of a question apart. */
export function viewFor({ by, filter, membersOnly = false }: Asked): View {
  const byGpu = by === "gpu" || filter.gpu !== undefined;
  const byNode = by === "node" || filter.node !== undefined;
  if (byGpu || (byNode && !membersOnly)) return "gpu";
  const byLease = by === "job" || by === "rank" || by === "lease" || (filter.job ?? filter.lease) !== undefined;
  return byLease || byNode ? "lease" : "group";
}

function partsFor(view: View, { node, accounts }: TelemetryFilter): Pick<ChunkQuery, "parts"> {
  if (view === "gpu") return node === undefined ? {} : { parts: partsWith(view, [node]) };
  return accounts === undefined ? {} : { parts: partsWith(view, accounts) };
}

/** The line that a row belongs to; undefined = to none of this question. */
export function groupOf(by: TelemetryGroup, filter: TelemetryFilter, key: RowKey): string | undefined {
  const { accounts, user, job, lease, node, gpu } = filter;
  if (accounts !== undefined && (key.account === undefined || !accounts.has(key.account))) return undefined;
  if (user !== undefined && key.user !== user) return undefined;
  if (job !== undefined && !isOf(key.job, job)) return undefined;
  if (lease !== undefined && key.lease !== lease) return undefined;
  if (node !== undefined && key.node !== node) return undefined;
  if (gpu !== undefined && key.gpu !== gpu) return undefined;
  if (by === "none") return "";
  if (by === "rank") return key.rank === undefined ? undefined : String(key.rank);
  return by === "account" || by === "user" ? (key[by] ?? "") : key[by];
}

/** The job itself, or an element of the array. */
function isOf(job: string | undefined, asked: string): boolean {
  return job === asked || (job?.startsWith(`${asked}.`) ?? false);
}

/** The rows of a stretch of time at one level; where a level has not been made yet, those of the one below. */
export function* rowsOf(kept: Kept, asked: Asked, level: Level): Generator<Columns> {
  const view = viewFor(asked);
  for (const query of chunkQueries(kept, asked, level)) yield* kept.file.read(query);
  for (const buffer of kept.buffers) yield buffer.at(view);
}

/** The finest level at or above `level` that reaches back to `from`, of which no more is read than may be. */
export function levelFor(kept: Kept, asked: Asked, level: Level): Level {
  const { file } = kept;
  const view = viewFor(asked);
  const oldest = (at: Level) => file.oldest(at, view) ?? Number.POSITIVE_INFINITY;
  for (const each of ([0, 1, 2] as const).slice(level)) {
    const coarser = ([0, 1, 2] as const).slice(each + 1);
    if (coarser.some((other) => oldest(other) < oldest(each)) && asked.from < oldest(each) - baseMs[each]) continue;
    if (rowsAt(kept, asked, each) <= rowsReadMax) return each;
  }
  throw new TelemetryTooWide("too many samples for one answer");
}

function rowsAt(kept: Kept, asked: Asked, level: Level): number {
  return chunkQueries(kept, asked, level).reduce((sum, query) => sum + kept.file.rows(query), 0);
}

export function chunkQueries({ file }: Kept, asked: Asked, level: Level): ChunkQuery[] {
  const { from, to, filter } = asked;
  const view = viewFor(asked);
  const common = { view, ...partsFor(view, filter) };
  if (level < 2) return [{ ...common, level, from, to }];
  const until = Math.min(Math.max(from, file.hourMark), to);
  return [
    { ...common, level: 2, from, to: until },
    { ...common, level: 1, from: until, to },
  ];
}
