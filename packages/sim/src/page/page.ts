import { mean, quantile, sum } from "../simulate/figures.ts";
import { heldPart, type JobRun, type Result, type Sample } from "../simulate/result.ts";
import { barChart, lineChart, numberText } from "./chart.ts";
import { escaped, framed, tiles } from "./frame.ts";

const hourMs = 3_600_000;
const teamsShown = 25;

/** What a run is shown beside: the same jobs under other rules. */
export interface Beside {
  readonly name: string;
  readonly samples: readonly Sample[];
}

/** A page that opens from disk and needs nothing else: what a run was, and how the fleet and its teams fared. */
export function pageOf(title: string, lines: readonly string[], result: Result, beside?: Beside): string {
  const { gpus, startedAt, jobs } = result;
  const runs = [{ name: beside === undefined ? "" : "Tessera", samples: result.samples }, ...(beside ? [beside] : [])];
  const over = (of: (sample: Sample) => number) =>
    runs.map(({ name, samples }) => ({
      name,
      points: samples.map((sample) => [(sample.at - startedAt) / hourMs, of(sample)] as const),
    }));
  const part = (of: (sample: Sample) => number) => over((sample) => (100 * of(sample)) / gpus);
  const waits = firstWaits(jobs);
  const charts = [
    lineChart(
      "Utilization",
      part(({ gpusHeld }) => gpusHeld),
      "GPUs held, % of the fleet",
      "mean",
      100,
    ),
    lineChart(
      "Queue",
      over(({ jobsWaiting }) => jobsWaiting),
      "jobs that wait",
      "highest",
    ),
    lineChart(
      "Fragmentation",
      part(({ gpusFreeInParts }) => gpusFreeInParts),
      "free GPUs on nodes that are partly used, % of the fleet",
      "mean",
    ),
    lineChart(
      "Preemptions",
      over(({ evictions }) => evictions),
      "jobs told to leave, in each step",
      "highest",
    ),
    barChart("Waits by team", waitsByTeam(jobs), ["mean", "p99"], teamsText(jobs), hoursText),
  ];
  return framed(
    title,
    `<p class="quiet">${numberText(jobs.length)} jobs on ${numberText(gpus)} GPUs</p>
${tiles([
  [`${(100 * heldPart(result)).toFixed(1)} %`, "of the GPU time was held"],
  [hoursText(mean(waits)), "mean wait for the first start"],
  [hoursText(quantile(waits, 0.99)), "p99 wait"],
  [numberText(sum(jobs.map(({ evictions }) => evictions))), "preemptions"],
  [numberText(sum(jobs.map(({ lostGpuMs }) => lostGpuMs)) / hourMs), "GPU-hours lost by them"],
  [numberText(jobs.filter(({ stints }) => stints.length === 0).length), "jobs that never started"],
])}
<div class="charts">${charts.join("\n")}</div>
<h2>Figures</h2>
<pre class="card">${escaped(lines.join("\n"))}</pre>`,
  );
}

function firstWaits(jobs: readonly JobRun[]): number[] {
  return jobs.flatMap(({ arrival, stints }) =>
    stints.length === 0 ? [] : [(stints[0]!.placedAt - arrival.submitAt) / hourMs],
  );
}

/** The teams that wait most first. */
function waitsByTeam(jobs: readonly JobRun[]) {
  return [...Map.groupBy(jobs, ({ arrival }) => arrival.account)]
    .map(([name, own]) => ({ name, waits: firstWaits(own) }))
    .filter(({ waits }) => waits.some((wait) => wait > 0))
    .map(({ name, waits }) => ({ name, values: [mean(waits), quantile(waits, 0.99)] }))
    .sort((a, b) => b.values[0]! - a.values[0]! || (a.name < b.name ? -1 : 1))
    .slice(0, teamsShown);
}

function teamsText(jobs: readonly JobRun[]): string {
  const teams = Map.groupBy(jobs, ({ arrival }) => arrival.account);
  const waited = [...teams.values()].filter((own) => firstWaits(own).some((wait) => wait > 0)).length;
  const shown = waited > teamsShown ? `, the ${teamsShown} that wait longest` : "";
  return `until the first start; ${waited} of ${teams.size} teams ever waited${shown}`;
}

function hoursText(hours: number): string {
  if (hours === 0) return "0 s";
  if (hours < 1 / 60) return `${numberText(hours * 3600)} s`;
  return hours < 1 ? `${numberText(hours * 60)} min` : `${numberText(hours)} h`;
}
