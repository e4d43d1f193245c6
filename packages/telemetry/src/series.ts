import { type Drawn, drawn } from "./columns.ts";
import { baseMs, type Level } from "./file.ts";
import { Line } from "./line.ts";
import type { SeriesAnswer, SeriesQuery } from "./port.ts";
import { scan } from "./scan.ts";
import { type Asked, groupOf, type Kept, levelFor, rowsOf } from "./select.ts";

/** Answers a question from what is kept. */
export function seriesOf(kept: Kept, query: SeriesQuery): SeriesAnswer {
  const { metric, by, filter, to, linesMax } = query;
  const how = drawn[metric];
  const level = levelFor(kept, { ...query, membersOnly: how.as === "sum" }, levelOfStep(query.stepMs));
  const base = baseMs[level];
  const stepMs = Math.ceil(query.stepMs / base) * base;
  const from = Math.floor(query.from / stepMs) * stepMs;
  const asked: Asked = { by, filter, from, to, membersOnly: how.as === "sum" };
  const { chosen, leftOut } =
    by === "rank" ? chooseRanks(kept, query, level) : choose(kept, asked, level, how, linesMax);
  const lines = new Map(chosen.map((key) => [key, new Line({ from, to, stepMs, baseMs: base }, how)]));
  for (const rows of rowsOf(kept, asked, level)) {
    const groups = rows.keys.map((key) => {
      const group = groupOf(by, filter, key);
      return group === undefined ? undefined : lines.get(group);
    });
    for (const [index, line] of groups.entries()) line?.note(rows.keys[index]!);
    scan(rows, how, groups, (line, row) => line.add(row));
  }
  const times = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, step) => from + step * stepMs);
  return { stepMs, times, lines: [...lines].map(([key, line]) => line.answer(key)), leftOut };
}

function levelOfStep(stepMs: number): Level {
  if (stepMs >= baseMs[2]) return 2;
  return stepMs >= baseMs[1] ? 1 : 0;
}

/** The groups that are shown, the largest first. Sizes are looked at only where there are too many. */
function choose(kept: Kept, asked: Asked, level: Level, how: Drawn, most: number): Chosen {
  const keys = keysOf(kept, asked, level);
  if (keys.size <= most) return { chosen: [...keys].sort(), leftOut: 0 };
  const sizes = sumsOf(kept, asked, level, how, keys);
  const inOrder = [...sizes].sort(([a, { sum }], [b, other]) => other.sum - sum || (a < b ? -1 : 1));
  return { chosen: inOrder.slice(0, most).map(([key]) => key), leftOut: sizes.size - most };
}

/**
 * The ranks that are shown, in their order: where there are too many, those that did most and those that did least, since
 * one that hangs is what is looked for. Their activity decides for all metrics, so that charts show the same ranks; one
 * that was not measured did nothing as far as is known.
 */
function chooseRanks(kept: Kept, { by, filter, from, to, linesMax }: SeriesQuery, level: Level): Chosen {
  const asked: Asked = { by, filter, from, to };
  const keys = keysOf(kept, asked, level);
  const inOrder = [...keys].sort((a, b) => Number(a) - Number(b));
  if (keys.size <= linesMax) return { chosen: inOrder, leftOut: 0 };
  const sums = sumsOf(kept, asked, level, drawn.activity, keys);
  const meanOf = (rank: string) => {
    const { sum, weight } = sums.get(rank)!;
    return weight === 0 ? 0 : sum / weight;
  };
  const means = new Map(inOrder.map((rank) => [rank, meanOf(rank)]));
  const bySize = inOrder.toSorted((a, b) => means.get(a)! - means.get(b)!);
  const least = Math.ceil(linesMax / 2);
  const chosen = new Set([...bySize.slice(0, least), ...bySize.slice(bySize.length - (linesMax - least))]);
  return { chosen: inOrder.filter((rank) => chosen.has(rank)), leftOut: keys.size - linesMax };
}

interface Chosen {
  readonly chosen: readonly string[];
  readonly leftOut: number;
}

function keysOf(kept: Kept, asked: Asked, level: Level): Set<string> {
  const found = new Set<string>();
  for (const { keys } of rowsOf(kept, asked, level)) {
    for (const key of keys) {
      const group = groupOf(asked.by, asked.filter, key);
      if (group !== undefined) found.add(group);
    }
  }
  return found;
}

function sumsOf(kept: Kept, asked: Asked, level: Level, how: Drawn, keys: ReadonlySet<string>) {
  const sums = new Map([...keys].map((key) => [key, { sum: 0, weight: 0 }]));
  for (const rows of rowsOf(kept, asked, level)) {
    const groups = rows.keys.map((key) => {
      const group = groupOf(asked.by, asked.filter, key);
      return group === undefined ? undefined : sums.get(group);
    });
    scan(rows, how, groups, (group, { at, weight, value }) => {
      if (at <= asked.from || at > asked.to) return;
      group.sum += weight * value;
      group.weight += weight;
    });
  }
  return sums;
}
