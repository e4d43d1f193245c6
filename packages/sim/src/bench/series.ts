import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { day } from "@tessera/core";
import { RollUps, readRollUps, SeriesFile } from "@tessera/server";
import { countOf, parseCall } from "../call.ts";
import { quantile, spreadOf } from "./figures.ts";
import { chartsOf, type RangeName, ranges } from "./series/charts.ts";
import { accountsOf, generate } from "./series/generate.ts";

/**
 * `npm run bench:series`: generates roll-ups of many days, in the shape that the recorder leaves, and asks for every
 * chart of the console over each range.
 */
const usage =
  "npm run bench:series -- [--days 90] [--gpus 50000] [--jobs 30000] [--tenants 30] [--teams 10] [--rounds 10] [--seed 1] [--json]";
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

const dir = mkdtempSync(join(tmpdir(), "tessera-bench-series-"));
try {
  const place = join(dir, "series.sqlite");
  const untilAt = Math.floor(Date.now() / day) * day;
  const shape = { tenants: count("tenants"), teamsEach: count("teams") };
  const ask = { ...shape, days: count("days"), gpus: count("gpus"), jobsPerDay: count("jobs"), seed: count("seed") };
  const began = performance.now();
  say(`generating ${ask.days} days`);
  const { lines, rows } = generate({ ...ask, file: place, untilAt });
  const generatedSeconds = Math.round((performance.now() - began) / 1_000);
  say(
    `generated ${ask.days} days of ${lines} lines, ${rows} rows, in ${generatedSeconds} s, ${Math.round(statSync(place).size / 2 ** 20)} MiB`,
  );
  const figures = {
    ...{ command: "bench:series", ...ask, rounds: count("rounds"), lines, rows, generatedSeconds },
    megabytes: Math.round(statSync(place).size / 2 ** 20),
    ...measure(place, untilAt, shape, count("rounds"), ask.days),
    goalMs,
    node: process.version,
  };
  const over = Object.entries(figures.byChartMs).filter(([, { p99 }]) => p99 >= goalMs);
  if (values.json) console.log(JSON.stringify({ ...figures, held: over.length === 0 }));
  else say(over.length === 0 ? `each chart under ${goalMs} ms` : `NOT under ${goalMs} ms: ${JSON.stringify(over)}`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** Each chart over each range, several times; the first of a file that was just opened counts too. */
function measure(
  place: string,
  untilAt: number,
  shape: Parameters<typeof accountsOf>[0],
  rounds: number,
  days: number,
) {
  const charts = chartsOf(accountsOf(shape));
  const byRange: Partial<Record<RangeName, number[]>> = {};
  const byChart = new Map<string, number[]>();
  for (let no = 0; no < rounds; no++) {
    const file = SeriesFile.open(place, (text) => console.error(text));
    const rollUps = new RollUps(file, (text) => console.error(text));
    for (const name of Object.keys(ranges) as RangeName[]) {
      const { length, stepMs: fine, coarseMs } = ranges[name];
      if (length > days * day) continue;
      for (const { title, ...chart } of charts) {
        const stepMs = chart.kind === "gauge" || chart.kind === "quotient" ? fine : coarseMs;
        const asked = performance.now();
        const answer = readRollUps(rollUps, file, {
          ...chart,
          from: untilAt - length,
          to: untilAt,
          stepMs,
          linesMax: 50,
        });
        const text = JSON.stringify(answer);
        const ms = performance.now() - asked;
        if (text.length < 100) throw new Error(`${title} is empty`);
        byRange[name] = [...(byRange[name] ?? []), ms];
        byChart.set(`${title}, ${name}`, [...(byChart.get(`${title}, ${name}`) ?? []), ms]);
      }
    }
    file.close();
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
    queries: Object.values(byRange).flat().length,
    allMs: told(Object.values(byRange).flat()),
    byChartMs: Object.fromEntries([...byChart].map(([name, all]) => [name, told(all)])),
    byRangeMs: Object.fromEntries(Object.entries(byRange).map(([name, all]) => [name, told(all)])),
    slowest: { chart: slowest![0], ms: spreadOf(slowest![1], 1) },
  };
}
