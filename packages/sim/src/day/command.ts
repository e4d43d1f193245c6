import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { day, minute } from "@tessera/core";
import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { Progress } from "../command/progress.ts";
import { countOf } from "../simulate/outputs.ts";
import { everyMs, gpusPerNode, writeDay } from "./day.ts";

/** A day, or some, to look at: for demonstrations, pictures and load tests. */
export const dayCommand: Command = {
  name: "day",
  usage: `  tess-sim day --data DIR [--gpus 50000] [--days 1] [--seed N] [-o json]
                                         Write the last 24 hours of a simulated fleet, or more days of them (jobs, waits,
                                         preemptions, telemetry, faults, money), into a new data folder:
                                         npm start -- --data DIR opens it`,
  run: writeFolder,
};

const gpusMax = 200_000;
/** As far back as charts go. */
const daysMax = 90;
/** Two days of the largest fleet: more than a laptop's disk should be asked for. */
const gpuDaysMax = 2 * gpusMax;

async function writeFolder(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseOptions(args, {
    data: { type: "string" },
    gpus: { type: "string", default: "50000" },
    days: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    output: { type: "string", short: "o" },
  });
  const json = wantsJson(values.output);
  if (values.data === undefined) throw new WrongUsage("--data is missing; name a folder that is empty or not there");
  const data = resolve(values.data);
  if (existsSync(data) && readdirSync(data).length > 0)
    throw new WrongUsage(`--data is ${values.data}, which is not empty; name a folder that is empty or not there`);
  const gpus = countOf(values.gpus, "--gpus");
  if (gpus % gpusPerNode !== 0 || gpus > gpusMax)
    throw new WrongUsage(`--gpus is ${gpus}; write a multiple of ${gpusPerNode} up to ${gpusMax}`);
  const days = countOf(values.days, "--days");
  if (days > daysMax) throw new WrongUsage(`--days is ${days}; write a number from 1 to ${daysMax}`);
  if (gpus * days > gpuDaysMax)
    throw new WrongUsage(
      `--gpus ${gpus} for --days ${days} makes ${gpus * days} GPU-days, and ${gpuDaysMax} can be written; take fewer GPUs or days`,
    );
  const seed = countOf(values.seed, "--seed");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // On whole quarters of an hour, as the samples.
  const untilAt = Math.floor(Date.now() / everyMs) * everyMs;
  const bar = new Progress((days * day) / minute);
  let told = -1;
  const figures = await writeDay({
    ...{ data, gpus, days, seed, untilAt },
    progress: (passedMs, what) => {
      bar.at(Math.round(passedMs / minute), what);
      const hours = Math.floor(passedMs / (60 * minute));
      if (process.stderr.isTTY || hours <= told) return;
      told = hours;
      terminal.err(`${hours} of ${24 * days} hours: ${what}`);
    },
  });
  bar.clear();
  if (json) terminal.out(JSON.stringify({ command: "day", ...figures }));
  else
    for (const line of [
      `${figures.gpus} GPUs from ${figures.from} to ${figures.to}, in ${figures.wallS} s`,
      `${figures.jobs} jobs, ${figures.ended} ended, ${figures.runningAtEnd} run and ${figures.waitingAtEnd} wait; ${figures.preemptions} preemptions, ${figures.nodesLost} nodes lost, ${figures.findings} findings about GPUs; ${figures.samples} samples`,
      "",
      `Open it:  npm start -- --data ${values.data}`,
      `Then:     npx tess waste --from ${figures.from} --to ${figures.to}`,
    ])
      terminal.out(line);
  return exit.ok;
}
