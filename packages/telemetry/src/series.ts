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
  const { chosen, leftOut } = choose(kept, asked, level, how, linesMax);
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
function choose(kept: Kept, asked: Asked, level: Level, how: Drawn, most: number) {
  const sizes = new Map<string, { size: number }>();
  for (const { keys } of rowsOf(kept, asked, level)) {
    for (const key of keys) {
      const group = groupOf(asked.by, asked.filter, key);
      if (group !== undefined && !sizes.has(group)) sizes.set(group, { size: 0 });
    }
  }
  if (sizes.size <= most) return { chosen: [...sizes.keys()].sort(), leftOut: 0 };
  for (const rows of rowsOf(kept, asked, level)) {
    const groups = rows.keys.map((key) => {
      const group = groupOf(asked.by, asked.filter, key);
      return group === undefined ? undefined : sizes.get(group);
    });
    scan(rows, how, groups, (sum, { at, weight, value }) => {
      if (at > asked.from && at <= asked.to) sum.size += weight * value;
    });
  }
  const inOrder = [...sizes].sort(([a, { size }], [b, other]) => other.size - size || (a < b ? -1 : 1));
  return { chosen: inOrder.slice(0, most).map(([key]) => key), leftOut: sizes.size - most };
}
