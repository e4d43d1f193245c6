import { need } from "../check/inputs.ts";
import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { mean, rounded } from "../simulate/figures.ts";
import { countOf, outputOptions, watched, writeOutputs } from "../simulate/outputs.ts";
import { textTable } from "../simulate/table.ts";
import { readItp, traceEpoch } from "../trace/itp.ts";
import { type ItpFigures, runItp } from "./run.ts";

/** Gangs in one queue at production load (P3), without evictions. */
export const itpCommand: Command = {
  name: "itp",
  usage: `  tess-sim itp --jobs F --nodes N --estimate none|user [--seeds 1..10]
                                         Gangs in one queue beside greedy backfill (protocol P3)`,
  run: itp,
};

async function itp(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseOptions(args, {
    ...outputOptions,
    jobs: { type: "string" },
    nodes: { type: "string" },
    estimate: { type: "string", default: "user" },
    seeds: { type: "string", default: "1..10" },
  });
  wantsJson(values.output);
  const jobs = readItp(need(values.jobs, "--jobs"));
  const nodes = countOf(values.nodes, "--nodes");
  const { figures, first } = runItp({ jobs, nodes, seeds: seedsOf(values.estimate, values.seeds), watch: watched });
  writeOutputs(terminal, values, {
    figures: { command: "itp", estimate: values.estimate, ...figures },
    result: first,
    from: traceEpoch,
    lines: linesOf(figures),
  });
  return exit.ok;
}

function seedsOf(estimate: string, seeds: string): number[] {
  if (estimate === "none") return [];
  if (estimate !== "user") throw new WrongUsage(`--estimate is ${estimate}; write none or user`);
  const match = /^(\d{1,6})(?:\.\.(\d{1,6}))?$/.exec(seeds);
  const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (match === null || to < from) throw new WrongUsage(`--seeds is ${seeds}; write 7, or 1..10`);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function linesOf(figures: ItpFigures): string[] {
  const { seeds, compared, ratio } = figures;
  return [
    ...textTable(
      ["policy", "average wait s"],
      [["Tessera", figures.waitS], ...Object.entries(compared).map(([name, wait]): [string, number] => [name, wait])],
    ),
    "",
    ...textTable(
      ["gangs", "jobs", "p90 / greedy's, mean", "largest", "p99 / greedy's, mean", "largest"],
      seeds[0]!.classes.map(({ gangs, jobs }, i) => {
        const p90 = seeds.map(({ classes }) => classes[i]!.p90Ratio ?? 0);
        const p99 = seeds.map(({ classes }) => classes[i]!.p99Ratio ?? 0);
        return [gangs, jobs, rounded(mean(p90)), Math.max(...p90), rounded(mean(p99)), Math.max(...p99)];
      }),
    ),
    "",
    `average / greedy backfill's: ${ratio.mean} ± ${ratio.deviation} over ${seeds.length} runs, largest ${ratio.largest}; ${figures.wallS} s`,
  ];
}
