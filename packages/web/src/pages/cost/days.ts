import type { UsageReport } from "@tessera/wire";
import { othersKey } from "@tessera/wire/others";
import { type Look, othersLook } from "../../chart/colours.ts";
import type { Part } from "../../chart/range.ts";
import type { ChartView } from "../../chart/view.ts";
import { gpuHoursOf } from "../../format/numbers.ts";

/** Use in a step: the largest rows, and the sum of the others. */
export type UseOfStep = Pick<UsageReport, "rows" | "rest">;

/** GPU-hours of each step as stacked bars; beyond `most` keys as "others". */
export function hoursPerStep(
  { stepMs, parts }: { readonly stepMs: number; readonly parts: readonly Part[] },
  reports: readonly UseOfStep[],
  most: number,
  looksOf: (names: readonly string[]) => ReadonlyMap<string, Look>,
): ChartView {
  const names = new Map<string, string>();
  const hours = reports.map(({ rows }) => new Map(rows.map(({ key, unitMs }) => [key, gpuHoursOf(unitMs)])));
  const sums = new Map<string, number>();
  for (const { rows } of reports)
    for (const { key, name = key } of rows) names.set(key, key === "" ? "the platform itself" : name);
  for (const step of hours) for (const [key, value] of step) sums.set(key, (sums.get(key) ?? 0) + value);
  const named = [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([key]) => key);
  const others = hours.map((step, no) => {
    const rest = gpuHoursOf(reports[no]!.rest?.unitMs ?? "0");
    return [...step].reduce((sum, [key, value]) => (named.includes(key) ? sum : sum + value), rest);
  });
  const looks = looksOf(named);
  const lines = named.map((key) => ({
    ...{ key, label: names.get(key)!, values: hours.map((step) => step.get(key) ?? 0), ...looks.get(key)! },
  }));
  const rest = { key: othersKey, label: "others", values: others, ...othersLook };
  const times = parts.map(({ from }) => from);
  const [from, to] = [times[0] ?? 0, (times.at(-1) ?? 0) + stepMs];
  return {
    ...{ unit: "GPU-hours", stepMs, times, from, to, leftOut: 0, simulated: false },
    lines: others.some((value) => value > 0) ? [...lines, rest] : lines,
  };
}
