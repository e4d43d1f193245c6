import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { day } from "@tessera/core";
import { countOf, parseCall } from "../call.ts";
import { quantile, spreadOf } from "./figures.ts";
import { type Ask, type Chart, chartsOf, type RangeName, ranges } from "./series/charts.ts";
import { prepare, ServedSeries, type Tokens } from "./series/served.ts";

/**
 * `npm run bench:series`: generates roll-ups of many days, starts a real server on them, and asks it over HTTP, with the
 * tokens of the owner and of a tenant's administrator, for every chart of the console over each range.
 */
const usage =
  "npm run bench:series -- [--days 90] [--gpus 50000] [--jobs 30000] [--tenants 30] [--teams 10] [--rounds 10] [--seed 1] [--json]\n" +
  "  Exits with 1 where a chart is not under its goal. Money comes from a month of two tenants on 16 GPUs: bench:bill rates more.";
const goalMs = 100;

const values = parseCall(usage, {
  days: { type: "string", default: "90" },
  gpus: { type: "string", default: "50000" },
  jobs: { type: "string", default: "30000" },
  tenants: { type: "string", default: "30" },
  teams: { type: "string", default: "10" },
  rounds: { type: "string", default: "10" },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
});
const count = (name: "days" | "gpus" | "jobs" | "tenants" | "teams" | "rounds" | "seed") =>
  countOf(usage, `--${name}`, values[name]);
const say = values.json ? (text: string) => console.error(text) : (text: string) => console.log(text);
const round = (ms: number) => Number(ms.toPrecision(3));

const data = mkdtempSync(join(tmpdir(), "tessera-bench-series-"));
try {
  const shape = { tenants: count("tenants"), teamsEach: count("teams") };
  const ask = { ...shape, days: count("days"), gpus: count("gpus"), jobsPerDay: count("jobs"), seed: count("seed") };
  const began = performance.now();
  say(`generating ${ask.days} days`);
  const { lines, rows, file, tokens } = await prepare(data, ask);
  const generatedSeconds = Math.round((performance.now() - began) / 1_000);
  const megabytes = Math.round(statSync(file).size / 2 ** 20);
  say(`generated ${ask.days} days of ${lines} lines, ${rows} rows, in ${generatedSeconds} s, ${megabytes} MiB`);
  const figures = {
    ...{
      command: "bench:series",
      over: "http",
      ...ask,
      rounds: count("rounds"),
      lines,
      rows,
      generatedSeconds,
      megabytes,
    },
    ...(await measure(tokens, count("rounds"), ask.days)),
    goalMs,
    node: process.version,
  };
  const over = Object.entries(figures.byChartMs).filter(([, { p99 }]) => p99 >= goalMs);
  if (values.json) console.log(JSON.stringify({ ...figures, held: over.length === 0 }));
  else say(over.length === 0 ? `each chart under ${goalMs} ms` : `NOT under ${goalMs} ms: ${JSON.stringify(over)}`);
  process.exitCode = over.length === 0 ? 0 : 1;
} finally {
  rmSync(data, { recursive: true, force: true });
}

/**
 * Measures each chart over each range several times, from the start of the server on. Money is asked for once before and
 * reported apart: the first question rates all usage, and the result is cached.
 */
async function measure(tokens: Tokens, rounds: number, days: number) {
  const byRange: Partial<Record<RangeName, number[]>> = {};
  const byChart = new Map<string, number[]>();
  let [requests, firstMoneyMs] = [0, 0];
  const server = await ServedSeries.start(data);
  try {
    firstMoneyMs = round(await server.timeOf([{ metric: "spend", from: `${days}d` }], tokens.owner));
    for (let no = 0; no < rounds; no++)
      for (const name of Object.keys(ranges) as RangeName[]) {
        if (ranges[name].length > days * day) continue;
        for (const chart of chartsOf("tenant-0", "H100")) {
          const asks = asksOf(chart, name);
          requests += asks.length;
          const ms = await server.timeOf(asks, tokens[chart.as]);
          byRange[name] = [...(byRange[name] ?? []), ms];
          byChart.set(`${chart.title}, ${name}`, [...(byChart.get(`${chart.title}, ${name}`) ?? []), ms]);
        }
      }
  } finally {
    await server.end();
  }
  const told = (all: readonly number[]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const [p50, p99] = [round(quantile(sorted, 0.5)), round(quantile(sorted, 0.99))];
    return { p50, p99, max: round(sorted.at(-1)!), n: sorted.length };
  };
  for (const [name, all] of Object.entries(byRange)) {
    const { p50, p99, max } = told(all);
    say(`${name}: p50 ${p50} ms, p99 ${p99} ms, most ${max} ms`);
  }
  const [slowest] = [...byChart].sort((a, b) => spreadOf(b[1], 2).median - spreadOf(a[1], 2).median);
  say(`slowest: ${slowest![0]}, ${JSON.stringify(spreadOf(slowest![1], 1))} ms`);
  return {
    ...{ requests, firstMoneyMs },
    charts: Object.values(byRange).flat().length,
    allMs: told(Object.values(byRange).flat()),
    byChartMs: Object.fromEntries([...byChart].map(([name, all]) => [name, told(all)])),
    byRangeMs: Object.fromEntries(Object.entries(byRange).map(([name, all]) => [name, told(all)])),
    slowest: { chart: slowest![0], ms: spreadOf(slowest![1], 1) },
  };
}

/** The questions of a chart over a range, as the console asks them. */
function asksOf({ asks, coarse, compared }: Chart, name: RangeName): Ask[] {
  const { length, coarse: step } = ranges[name];
  const minutes = length / 60_000;
  const periods: Ask[] = [{ from: `${minutes}m` }];
  if (compared) periods.push({ from: `${2 * minutes}m`, to: `${minutes}m` });
  return periods.flatMap((time) => asks.map((ask) => ({ ...ask, ...time, ...(coarse && { step }) })));
}
