import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { begin } from "../launch/progress.js";
import { accepted } from "./accepted.js";
import { benchCases, phillyArgs, plainArgument, programs, scaleArgs } from "./list.js";
import { named } from "./named.js";
import { run } from "./workspace.js";

/** How much slower, and how much larger, the present may be. */
export const limits = { speed: 0.95, memory: 1.05 };

/** A day of 50,000 GPUs takes a minute, so that a few pairs must do. */
const scalePairsMax = 3;

const costHook = fileURLToPath(new URL("hook/cost.js", import.meta.url));

/** On the clock of the wall, and on a core, which a busy machine leaves alone. */
export const isSlow = ({ speed }) => speed.median < limits.speed;
export const isSlowOnCore = ({ cpu }) => cpu.median < limits.speed;
export const isLarge = ({ memory }) => memory.median > limits.memory;

/**
 * Runs each case in pairs, the base and then the present, one process at a time and without the recorder. A ratio is
 * taken within a pair, because a slow spell of the machine hits both of its runs; the median of all pairs counts.
 */
export async function measure({ names, sides, root, shared, gpus, pairs }) {
  const base = await sides.base();
  const cases = casesOf({ names, root, shared, gpus });
  const results = [];
  let at = "";
  await begin("measuring", { detail: () => at }).over(async () => {
    for (const [nth, { name, runOn }] of cases.entries()) {
      const runs = [];
      const most = name === "scale" ? Math.min(pairs, scalePairsMax) : pairs;
      for (let pair = 1; pair <= most; pair++) {
        at = `${name}, case ${nth + 1} of ${cases.length}, pair ${pair} of ${most}`;
        runs.push({ base: await runOn(base, pair), present: await runOn(sides.present, pair) });
      }
      results.push(named(resultOf(name, runs), accepted.speed));
    }
  });
  return results;
}

function casesOf({ names, root, shared, gpus }) {
  const bench = benchCases.map((name) => ({ name, runOn: (side, pair) => runBench({ side, name, gpus, pair, root }) }));
  const [philly, scale] = [phillyArgs(shared), scaleArgs(shared)];
  const traces = [
    { name: "philly", args: philly },
    { name: "scale", args: scale },
  ]
    .filter(({ args }) => args !== undefined)
    .map(({ name, args }) => ({ name, runOn: (side) => runTrace({ side, name, args, root }) }));
  return [...bench, ...traces].filter(({ name }) => names.includes(name));
}

/** Each pair has a seed of its own, the same on both sides. */
async function runBench({ side, name, gpus, pair, root }) {
  const program = join(side.folder, programs.benchOnce);
  const what = `${name} of ${side.name}`;
  const out = await run(process.execPath, [program, name, String(gpus), String(pair)], { cwd: root, what });
  const { perSecond, perCpuSecond, rssMiB } = JSON.parse(out);
  return { perSecond, perCpuSecond, peakMiB: rssMiB };
}

/** Whole runs per second. */
async function runTrace({ side, name, args, root }) {
  const path = join(side.folder, `${name}.cost`);
  const all = ["--import", costHook, join(side.folder, programs.sim), ...args.map(plainArgument)];
  const env = { ...process.env, TESSERA_EQUAL_COST: path };
  await run(process.execPath, all, { cwd: root, env, what: `${name} of ${side.name}` });
  const { wallMs, cpuMs, peakMiB } = JSON.parse(readFileSync(path, "utf8"));
  return { perSecond: 1_000 / wallMs, perCpuSecond: 1_000 / cpuMs, peakMiB };
}

/** The medians of both sides, and the ratios of present to base with their spread. */
export function resultOf(name, runs) {
  const ratio = (of) => spreadOf(runs.map(({ base, present }) => of(present) / of(base)));
  const medians = (side) => ({
    perSecond: spreadOf(runs.map((pair) => pair[side].perSecond)).median,
    peakMiB: spreadOf(runs.map((pair) => pair[side].peakMiB)).median,
  });
  return {
    name,
    pairs: runs.length,
    base: medians("base"),
    present: medians("present"),
    speed: ratio(({ perSecond }) => perSecond),
    cpu: ratio(({ perCpuSecond }) => perCpuSecond),
    memory: ratio(({ peakMiB }) => peakMiB),
  };
}

function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1) };
}
