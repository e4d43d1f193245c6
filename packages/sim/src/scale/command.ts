import { existsSync } from "node:fs";
import { seededRandom } from "@tessera/engine-simulated";
import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { countOf, outputOptions, watched, writeOutputs } from "../simulate/outputs.ts";
import { textTable } from "../simulate/table.ts";
import { type DemandDay, readHelios } from "../trace/helios.ts";
import { runScale, type ScaleFigures } from "./run.ts";
import { syntheticDays } from "./synthetic.ts";

/** A day of a large fleet (P5), beside the same day with hard quotas. */
export const scaleCommand: Command = {
  name: "scale",
  usage: `  tess-sim scale --gpus 50000 --days 1 [--jobs 30000] [--load 0.82] [--demand F] [--seed N]
                                         A day of a large fleet, with lending and with hard quotas (protocol P5);
                                         --demand is a table of GPUs asked for by team, such as that of Helios`,
  run: scale,
};

/** Where the demand of real teams lies beside a clone that has it. */
const heliosPath = "../shared/traces/helios-earth-vc/earth_vc_may2020_10min.csv.gz";

async function scale(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseOptions(args, {
    ...outputOptions,
    gpus: { type: "string", default: "50000" },
    days: { type: "string", default: "1" },
    jobs: { type: "string", default: "30000" },
    load: { type: "string", default: "0.82" },
    demand: { type: "string" },
    seed: { type: "string", default: "1" },
  });
  wantsJson(values.output);
  const load = Number(values.load);
  if (!(load > 0 && load <= 5))
    throw new WrongUsage(`--load is ${values.load}; write a part of the fleet such as 0.82`);
  const seed = countOf(values.seed, "--seed");
  const gpus = countOf(values.gpus, "--gpus");
  if (gpus % 8 !== 0) throw new WrongUsage(`--gpus is ${gpus}; write a multiple of 8`);
  const { demand, source } = demandOf(values.demand, seed);
  const days = countOf(values.days, "--days");
  const jobs = countOf(values.jobs, "--jobs");
  const { figures, result, apart } = runScale({ gpus, days, jobs, load, seed, demand, watch: watched });
  writeOutputs(terminal, values, {
    figures: { command: "scale", demand: source, ...figures },
    result,
    beside: { name: "hard quotas", samples: apart.samples },
    from: result.startedAt,
    lines: [
      `${figures.jobs} jobs of ${figures.teams} teams on ${gpus} GPUs; offered load ${figures.offeredLoad}; demand: ${source}`,
      "",
      ...compareLines(figures.lending, figures.hardQuotas),
    ],
  });
  return exit.ok;
}

function demandOf(path: string | undefined, seed: number): { demand: DemandDay[]; source: string } {
  if (path !== undefined) return { demand: readHelios(path), source: path };
  if (existsSync(heliosPath)) return { demand: readHelios(heliosPath), source: heliosPath };
  return { demand: syntheticDays(400, seededRandom(seed)), source: "synthetic: no table of demand is there" };
}

function compareLines(lending: ScaleFigures, hard: ScaleFigures): string[] {
  const both = (name: string, of: (figures: ScaleFigures) => number) => [name, of(lending), of(hard)];
  return [
    ...textTable(
      ["", "floors, lent and taken back", "hard quotas"],
      [
        both("allocated part of the fleet", ({ allocated }) => allocated),
        both("average wait s", ({ waitS }) => waitS),
        both("jobs started", ({ started }) => started),
        both("evictions", ({ evictions }) => evictions),
        both("GPU-hours lost", ({ lostGpuHours }) => lostGpuHours),
        both("decisions/s", ({ decisionsPerSecond }) => decisionsPerSecond),
        both("wall s", ({ wallS }) => wallS),
        both("memory MiB", ({ memoryMiB }) => memoryMiB),
      ],
    ),
    "",
    ...textTable(
      ["gangs", "jobs", "average wait s", "p50", "p99", "hard quotas: average", "p50", "p99"],
      lending.waits.map((each, i) => {
        const other = hard.waits[i]!;
        return [each.gangs, each.jobs, each.waitS, each.p50S, each.p99S, other.waitS, other.p50S, other.p99S];
      }),
    ),
  ];
}
