import type { SeriesView } from "@tessera/wire";
import { lookOfHue } from "../../chart/colours.ts";
import type { ChartLine, ChartView } from "../../chart/view.ts";

const dayMs = 86_400_000;

/** Money by day, as `GET /v1/series?metric=spend` tells it. */
export type Spend = Pick<SeriesView, "times" | "series" | "currency">;

/** A time over which money is summed, and its budget. */
export interface MoneyTime {
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly limitMicros?: string;
  /** What it comes to so far, with what is of no day. */
  readonly spentMicros?: string;
  readonly forecastMicros?: string;
}

/** What budgets count, of money by class: not what a tenant is credited for lending. */
export function budgeted(spend: Spend): Spend {
  return { ...spend, series: spend.series.filter(({ key }) => key !== "lent") };
}

/** Fewer past days give no band; older ones are not used. */
const bandDaysMin = 5;
const bandDaysMax = 28;

/** The cost of a cheap and of a dear day: the 10th and 90th percentile of the last days. */
export function dayBand(spend: Spend, now: number): { low: number; high: number; days: number } | undefined {
  const today = dayOf(now);
  const first = spend.times.findIndex((_, no) => totalOn(spend, no) !== 0);
  const days = spend.times.flatMap((time, no) =>
    no >= first && first >= 0 && time < today ? [totalOn(spend, no)] : [],
  );
  const past = days.slice(-bandDaysMax).sort((a, b) => a - b);
  if (past.length < bandDaysMin) return undefined;
  const at = (part: number) => unitsOf(past[Math.round(part * (past.length - 1))]!);
  return { low: at(0.1), high: at(0.9), days: past.length };
}

/** The running sum since the time began, with its forecast, band and budget. */
export function moneyAgainst(spend: Spend, time: MoneyTime, now: number): ChartView {
  // A month of another zone begins within a day of UTC: the nearest one is less wrong than the one before.
  const [from, to] = [Math.round(Date.parse(time.from) / dayMs) * dayMs, Date.parse(time.to)];
  const times = daysFrom(from, to);
  const at = new Map(spend.times.map((each, no) => [each, no]));
  const today = Math.max(
    0,
    times.findLastIndex((each) => each <= now),
  );
  let micros = 0;
  const spent = times.map((each, no) => {
    const day = at.get(each);
    micros += no <= today && day !== undefined ? totalOn(spend, day) : 0;
    return no <= today ? unitsOf(micros) : null;
  });
  const sum = time.spentMicros === undefined ? unitsOf(micros) : unitsOf(Number(time.spentMicros));
  spent[today] = sum;
  const last = times.length - 1;
  const lines: ChartLine[] = [{ key: "so far", label: "spent so far", values: spent, ...lookOfHue("blue") }];
  const band = dayBand(spend, now);
  const grown = (each: number) => times.map((_, no) => (no < today ? null : cents(sum + each * (no - today))));
  if (band !== undefined && last > today) {
    const look = lookOfHue("sky", [2, 3]);
    lines.push({ key: "high", label: "if days are dear", values: grown(band.high), ...look, band: "high" });
    lines.push({ key: "low", label: "if days are cheap", values: grown(band.low), ...look, band: "low" });
  }
  if (time.forecastMicros !== undefined) {
    const end = unitsOf(Number(time.forecastMicros));
    const values = times.map((_, no) =>
      no < today ? null : last === today ? end : cents(sum + ((end - sum) * (no - today)) / (last - today)),
    );
    lines.push({ key: "forecast", label: "at the present rate", values, ...lookOfHue("sky", [6, 3]) });
  }
  if (time.limitMicros !== undefined) {
    const limit = unitsOf(Number(time.limitMicros));
    lines.push({ key: "limit", label: "budget", values: times.map(() => limit), ...lookOfHue("red", [6, 3]) });
  }
  return { ...viewOf(times, time.currency), lines, shown: today };
}

/** The running month, by calendar days of UTC. */
export function monthOf(now: number): { readonly from: string; readonly to: string } {
  const at = new Date(now);
  const begin = (months: number) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months)).toISOString();
  return { from: begin(0), to: begin(1) };
}

function viewOf(times: readonly number[], unit: string) {
  const from = times[0] ?? 0;
  return { unit, stepMs: dayMs, times, from, to: (times.at(-1) ?? 0) + dayMs, leftOut: 0, simulated: false };
}

function daysFrom(from: number, to: number): number[] {
  return Array.from({ length: Math.max(1, Math.round((to - from) / dayMs)) }, (_, no) => from + no * dayMs);
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

function totalOn({ series }: Spend, no: number): number {
  return series.reduce((sum, { values }) => sum + (values[no] ?? 0), 0);
}

/** Micros as an amount to the cent. */
function unitsOf(micros: number): number {
  return cents(micros / 1_000_000);
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
