import type { SeriesView } from "@tessera/wire";
import { lookOfHue } from "../../chart/colours.ts";
import type { ChartView } from "../../chart/view.ts";

/** The cost of steps as what came together by the end of each, on top of what came before the first. */
export function costView(
  { from, to, stepMs, times, series, currency = "" }: SeriesView,
  microsBefore: number,
): ChartView {
  let micros = microsBefore;
  const values = times.map((_, step) => {
    micros += series[0]?.values[step] ?? 0;
    return Math.round(micros / 10_000) / 100;
  });
  const line = { key: "cost", label: "cost by the end of the step", values, ...lookOfHue("blue") };
  return { unit: currency, from, to, stepMs, times, lines: [line], leftOut: 0, simulated: false };
}
