import type { UsageReport } from "@tessera/wire";
import { othersKey } from "@tessera/wire/others";
import { othersColour, strokesOf } from "../../chart/colours.ts";
import type { ChartView } from "../../chart/view.ts";
import { gpuHoursOf } from "../../format/numbers.ts";

const dayMs = 86_400_000;

export interface Span {
  readonly from: string;
  readonly to: string;
}

/** The last days in UTC, whole but for today, oldest first. */
export function lastDays(count: number, now: number): Span[] {
  const today = Math.floor(now / dayMs) * dayMs;
  return Array.from({ length: count }, (_, i) => {
    const from = today - (count - 1 - i) * dayMs;
    return { from: new Date(from).toISOString(), to: new Date(Math.min(from + dayMs, now)).toISOString() };
  });
}

/** What was used in a day: the largest rows, and what the others come to. */
export type DayOfUse = Pick<UsageReport, "rows" | "rest">;

/** GPU-hours of each day as stacked bars, in the colours that the keys have everywhere; beyond `most` keys as "others". */
export function hoursPerDay(spans: readonly Span[], days: readonly DayOfUse[], most: number): ChartView {
  const names = new Map<string, string>();
  const hours = days.map(({ rows }) => new Map(rows.map(({ key, unitMs }) => [key, gpuHoursOf(unitMs)])));
  const sums = new Map<string, number>();
  for (const { rows } of days) for (const { key, name = key } of rows) names.set(key, name);
  for (const day of hours) for (const [key, value] of day) sums.set(key, (sums.get(key) ?? 0) + value);
  const named = [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([key]) => key);
  const others = hours.map((day, no) => {
    const rest = gpuHoursOf(days[no]!.rest?.unitMs ?? "0");
    return [...day].reduce((sum, [key, value]) => (named.includes(key) ? sum : sum + value), rest);
  });
  const strokes = strokesOf(named.map((key) => ({ key: "", label: names.get(key)! })));
  const lines = named.map((key, no) => ({
    ...{ key, label: names.get(key)!, values: hours.map((day) => day.get(key) ?? 0), ...strokes[no]! },
  }));
  const rest = { key: othersKey, label: "others", values: others, colour: othersColour, dash: [] };
  const times = spans.map(({ from }) => Date.parse(from));
  const [from, to] = [times[0] ?? 0, (times.at(-1) ?? 0) + dayMs];
  return {
    ...{ unit: "GPU-hours", stepMs: dayMs, times, from, to, leftOut: 0, simulated: false },
    lines: others.some((value) => value > 0) ? [...lines, rest] : lines,
  };
}
