import type { ChartLine, ChartView } from "../../chart/view.ts";

const dayMs = 86_400_000;

interface DayRow {
  /** A day in UTC: `2026-01-05`. */
  readonly key: string;
  readonly micros: string;
}

/** Money of the last days as bars, with as many days before them behind. */
export function moneyPerDay(rows: readonly DayRow[], currency: string, days: number, now: number): ChartView {
  const byDay = amountsOf(rows);
  const today = Math.floor(now / dayMs) * dayMs;
  const times = daysFrom(today - (days - 1) * dayMs, today + dayMs);
  const spent = times.map((at) => byDay.get(at) ?? 0);
  const before = times.map((at) => byDay.get(at - days * dayMs) ?? 0);
  return {
    ...viewOf(times, currency),
    lines: [
      { key: "spent", label: "spent", values: spent, colour: "#0072b2", dash: [] },
      { key: "before", label: "period before", values: before, colour: "var(--quiet)", dash: [3, 3], ghost: true },
    ],
  };
}

export interface BudgetTime {
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly limitMicros: string;
  readonly forecastMicros: string;
}

/** What came together since a budget began, where it is going, and what may be spent. */
export function moneyAgainst(rows: readonly DayRow[], budget: BudgetTime, now: number): ChartView {
  const byDay = amountsOf(rows);
  const times = daysFrom(Date.parse(budget.from), Date.parse(budget.to));
  const today = Math.max(
    0,
    times.findLastIndex((at) => at <= now),
  );
  let sum = 0;
  const spent = times.map((at, no) => {
    sum += no <= today ? (byDay.get(Math.floor(at / dayMs) * dayMs) ?? 0) : 0;
    return no <= today ? sum : null;
  });
  const end = unitsOf(budget.forecastMicros);
  const last = times.length - 1;
  const forecast = times.map((_, no) =>
    no < today ? null : last === today ? end : sum + ((end - sum) * (no - today)) / (last - today),
  );
  const line = (key: string, label: string, values: (number | null)[], colour: string, dash: number[]): ChartLine => ({
    ...{ key, label, values, colour, dash },
  });
  return {
    ...viewOf(times, budget.currency),
    lines: [
      line("so far", "spent so far", spent, "#0072b2", []),
      line("forecast", "if it goes on as now", forecast, "#56b4e9", [3, 3]),
      line(
        "limit",
        "budget",
        times.map(() => unitsOf(budget.limitMicros)),
        "#cc3311",
        [6, 3],
      ),
    ],
  };
}

function viewOf(times: readonly number[], unit: string) {
  const from = times[0] ?? 0;
  return { unit, stepMs: dayMs, times, from, to: (times.at(-1) ?? 0) + dayMs, leftOut: 0, simulated: false };
}

function daysFrom(from: number, to: number): number[] {
  return Array.from({ length: Math.max(1, Math.round((to - from) / dayMs)) }, (_, no) => from + no * dayMs);
}

function amountsOf(rows: readonly DayRow[]): Map<number, number> {
  return new Map(rows.map(({ key, micros }) => [Date.parse(key), unitsOf(micros)]));
}

/** An amount for a drawing: to the cent. */
function unitsOf(micros: string): number {
  return Number(BigInt(micros) / 10_000n) / 100;
}
