import { strokesOf } from "../../chart/colours.ts";
import type { ChartView } from "../../chart/view.ts";

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

/** The largest keys by their sum over all spans; keys beyond `most` are added up as "others". */
export function stack(
  spans: readonly ReadonlyMap<string, number>[],
  most: number,
): { keys: string[]; rows: number[][] } {
  const sums = new Map<string, number>();
  for (const span of spans) for (const [key, value] of span) sums.set(key, (sums.get(key) ?? 0) + value);
  const order = [...sums].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const named = order.slice(0, most);
  const rest = order.slice(most);
  const keys = rest.length === 0 ? named : [...named, "others"];
  const rows = spans.map((span) => {
    const row = named.map((key) => span.get(key) ?? 0);
    return rest.length === 0 ? row : [...row, rest.reduce((sum, key) => sum + (span.get(key) ?? 0), 0)];
  });
  return { keys, rows };
}

/** GPU-hours of each day as stacked bars, in the colours that the keys have everywhere. */
export function hoursPerDay(
  spans: readonly Span[],
  perDay: readonly ReadonlyMap<string, number>[],
  most: number,
): ChartView {
  const { keys, rows } = stack(perDay, most);
  const times = spans.map(({ from }) => Date.parse(from));
  const strokes = strokesOf(keys);
  const lines = keys.map((key, no) => ({ key, label: key, values: rows.map((row) => row[no]!), ...strokes[no]! }));
  const [from, to] = [times[0] ?? 0, (times.at(-1) ?? 0) + dayMs];
  return { unit: "GPU-hours", stepMs: dayMs, times, from, to, lines, leftOut: 0, simulated: false };
}
