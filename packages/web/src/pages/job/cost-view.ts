import type { SeriesView } from "@tessera/wire";
import type { ChartView } from "../../chart/view.ts";

/** The cost of steps as what came together by the end of each. */
export function costView({ from, to, stepMs, times, series, currency = "" }: SeriesView): ChartView {
  let micros = 0;
  const values = times.map((_, step) => {
    micros += series[0]?.values[step] ?? 0;
    return Math.round(micros / 10_000) / 100;
  });
  const line = { key: "cost", label: "cost by the end of the step", values, colour: "#0072b2", dash: [] };
  return { unit: currency, from, to, stepMs, times, lines: [line], leftOut: 0, simulated: false };
}
