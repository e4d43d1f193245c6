import { mean, quantile } from "../simulate/figures.ts";
import { heldPart, type JobRun, type Result, type Sample } from "../simulate/result.ts";
import { barChart, escaped, lineChart } from "./chart.ts";

const hourMs = 3_600_000;
const teamsShown = 40;

const style = `body{font:14px/1.5 system-ui,sans-serif;max-width:780px;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
h1{font-size:1.4rem}figure{margin:1.5rem 0}figcaption{font-weight:600}figcaption span{font-weight:400;color:#59636e}
svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#59636e}svg .small{font-size:9px}.grid{stroke:#d1d9e0}
.key{margin-right:1rem}.key i{display:inline-block;width:10px;height:10px;margin-right:4px}pre{overflow:auto;background:#f6f8fa;padding:1rem}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}svg text,figcaption span{fill:#9198a1;color:#9198a1}.grid{stroke:#30363d}pre{background:#161b22}}`;

/** A page that opens from disk and needs nothing else: what a run was, and how the fleet and its teams fared. */
export function pageOf(title: string, lines: readonly string[], result: Result): string {
  const { samples, gpus, startedAt } = result;
  const over = (of: (sample: Sample) => number) =>
    samples.map((sample) => [(sample.at - startedAt) / hourMs, of(sample)] as const);
  const charts = [
    lineChart(
      "GPUs held",
      [{ name: "held", points: over(({ gpusHeld }) => (100 * gpusHeld) / gpus) }],
      "% of the fleet",
    ),
    lineChart("Queue", [{ name: "waiting", points: over(({ jobsWaiting }) => jobsWaiting) }], "jobs that wait"),
    lineChart(
      "Fragmentation",
      [{ name: "free in parts", points: over(({ gpusFreeInParts }) => (100 * gpusFreeInParts) / gpus) }],
      "% of the fleet: free GPUs on nodes that are partly used",
    ),
    lineChart("Preemptions", [{ name: "evicted", points: over(({ evictions }) => evictions) }], "jobs in each step"),
    barChart("Waits by team", waitsByTeam(result.jobs), ["mean", "p99"], "hours until the first start"),
  ];
  const used = `${(100 * heldPart(result)).toFixed(1)} % of the GPU time until the last end was held.`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
<p>${result.jobs.length} jobs on ${gpus} GPUs. ${used}</p>
${charts.join("\n")}
<pre>${escaped(lines.join("\n"))}</pre>
</html>
`;
}

/** The teams that wait most first. */
function waitsByTeam(jobs: readonly JobRun[]) {
  const waits = new Map<string, number[]>();
  for (const { arrival, stints } of jobs) {
    if (stints.length === 0) continue;
    const wait = (stints[0]!.placedAt - arrival.submitAt) / hourMs;
    const known = waits.get(arrival.account);
    if (known === undefined) waits.set(arrival.account, [wait]);
    else known.push(wait);
  }
  return [...waits]
    .map(([name, each]) => ({ name, values: [mean(each), quantile(each, 0.99)] }))
    .sort((a, b) => b.values[0]! - a.values[0]!)
    .slice(0, teamsShown);
}
