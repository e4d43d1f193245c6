import { execFile } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseCall } from "../call.ts";
import { type Spread, spreadOf } from "./figures.ts";
import { cases, isCase } from "./scheduler/cases.ts";
import type { Measured } from "./scheduler/stopwatch.ts";

/** `npm run bench:scheduler`: how fast the scheduler decides, case by case, each run in a process of its own. */
const usage =
  "npm run bench:scheduler -- [--cases fill,mixed,…,growth] [--gpus 50000] [--seed 1] [--repeat 3] [--json]";
const growthSizes = [1_000, 10_000, 50_000, 500_000] as const;

const values = parseCall(usage, {
  cases: { type: "string", default: [...Object.keys(cases), "growth"].join(",") },
  gpus: { type: "string", default: "50000" },
  seed: { type: "string", default: "1" },
  repeat: { type: "string", default: "3" },
  json: { type: "boolean", default: false },
});
const names = values.cases.split(",");
const [gpus, seed, repeat] = [values.gpus, values.seed, values.repeat].map(Number) as [number, number, number];
const unknown = names.find((name) => name !== "growth" && !isCase(name));
if (unknown !== undefined) throw new Error(`--cases ${unknown}: ${usage}`);
if (![gpus, seed, repeat].every(Number.isSafeInteger) || gpus % 8 !== 0 || repeat < 1) throw new Error(usage);

type Run = Measured & { readonly rssMiB: number };

/** The goals of the project at 50,000 GPUs, on two cores. */
const goals: Readonly<Record<string, (line: Line) => boolean>> = {
  fill: (line) => line.perSecond >= 200_000 && line.rssMiB < 400,
  gangs: (line) => line.perSecond >= 10_000 && line.rssMiB < 400,
  full: (line) => line.p50us < 1_000 && line.rssMiB < 400,
  reclaim: (line) => line.maxMs < 1_000 && line.rssMiB < 400,
  "reclaim-half": (line) => line.maxMs < 1_000 && line.rssMiB < 400,
  hopeless: (line) => line.maxMs < 5 && line.rssMiB < 400,
  journal: (line) => line.perSecond >= 50_000 && line.rssMiB < 400,
};

interface Line {
  readonly case: string;
  readonly gpus: number;
  readonly jobs: number;
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p50us: number;
  readonly p99us: number;
  readonly maxMs: number;
  readonly rssMiB: number;
  readonly repeat: number;
  readonly spread: { readonly perSecond: Spread; readonly p50us: Spread; readonly maxMs: Spread };
  readonly ran: string;
  readonly cores: number;
  readonly pass?: boolean;
}

for (const name of names) {
  if (name !== "growth") print(await lineOf(name, name, gpus));
  else await growth();
}

/** The median of each figure over all runs. */
async function lineOf(label: string, name: string, size: number): Promise<Line> {
  const runs: Run[] = [];
  for (let i = 0; i < repeat; i++) runs.push(await runOnce(name, size, seed + i));
  const over = (figure: (run: Run) => number, digits: number) => spreadOf(runs.map(figure), digits);
  const spread = {
    perSecond: over((run) => run.perSecond, 0),
    p50us: over((run) => run.p50us, 2),
    maxMs: over((run) => run.maxMs, 2),
  };
  const line: Line = {
    case: label,
    gpus: size,
    jobs: runs[0]!.jobs,
    perSecond: spread.perSecond.median,
    perCpuSecond: over((run) => run.perCpuSecond, 0).median,
    p50us: spread.p50us.median,
    p99us: over((run) => run.p99us, 2).median,
    maxMs: spread.maxMs.median,
    rssMiB: over((run) => run.rssMiB, 0).max,
    repeat,
    spread,
    ran: runs[0]!.ran,
    cores: cpus().length,
  };
  const goal = goals[label];
  return goal === undefined || size !== 50_000 ? line : { ...line, pass: goal(line) };
}

/** Microseconds for each decision of `mixed`, from a small fleet to a large one. */
async function growth(): Promise<void> {
  const lines: Line[] = [];
  for (const size of growthSizes) {
    lines.push(await lineOf("growth", "mixed", size));
    print(lines.at(-1)!);
  }
  const usAt = (size: number) => 1e6 / lines.find((line) => line.gpus === size)!.perSecond;
  const ratio = Number((usAt(500_000) / usAt(10_000)).toFixed(2));
  console.log(JSON.stringify({ case: "growth-ratio", from: 10_000, to: 500_000, ratio, pass: ratio <= 2 }));
}

function print(line: Line): void {
  if (values.json) console.log(JSON.stringify(line));
  else {
    const { perSecond, p50us, p99us, maxMs, rssMiB } = line;
    console.log(`${line.case} at ${line.gpus} GPUs: ${line.ran}`);
    console.log(
      `  ${perSecond}/s (${line.spread.perSecond.min} to ${line.spread.perSecond.max} in ${repeat} runs), ` +
        `p50 ${p50us} us, p99 ${p99us} us, longest ${maxMs} ms, ${rssMiB} MiB${line.pass === undefined ? "" : line.pass ? ", goal met" : ", goal missed"}`,
    );
  }
}

async function runOnce(name: string, size: number, runSeed: number): Promise<Run> {
  const program = fileURLToPath(new URL("./scheduler-once.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, name, String(size), String(runSeed)]);
  return JSON.parse(stdout) as Run;
}
