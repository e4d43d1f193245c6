import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesBelow } from "../launch/tree.js";

/** Where the programs lie in a built checkout. Both sides must have them. */
export const programs = {
  sim: "packages/sim/dist/main.js",
  prove: "packages/sim/dist/prove/scheduler.js",
  benchCases: "packages/sim/dist/bench/scheduler/cases.js",
  benchOnce: "packages/sim/dist/bench/scheduler-once.js",
};

const scenario = /^packages\/sim\/scenarios\/.*\.yaml$/;
const journal = /\/journal\/golden\/.*\.golden\.jsonl$/;

/** Whether a file of the base is played, on both sides. */
export function isInput(path) {
  return scenario.test(path) || journal.test(path);
}

export const benchCases = ["full", "mixed", "journal", "hopeless", "reclaim-half", "reclaim", "fill", "gangs"];

/** Every group of the list; the prover has several of one name. */
export const names = ["scenarios", "journals", "prover", "philly", "scale", ...benchCases];

const casesPerProcess = 500;

/**
 * The list that both sides play: groups of tasks, a process for each group, a stream for each task. `inputs` is a
 * folder with the base's files that are inputs, `shared` the folder beside the clone. `skipped` says what is not there.
 */
export function makeList({ inputs, shared, gpus, cases, traces }) {
  const groups = [...benchGroups(gpus), ...proverGroups(cases), scenarioGroup(inputs, shared), journalGroup(inputs)];
  const skipped = [];
  if (!existsSync(join(shared, "scenarios"))) skipped.push("the scenarios beside this clone: there are none");
  if (traces) {
    const philly = phillyArgs(shared);
    if (philly === undefined) skipped.push("philly: its trace is not beside this clone");
    else groups.unshift(group("philly", [{ stream: "philly", play: "program", program: programs.sim, args: philly }]));
    const scale = { stream: "scale", play: "program", program: programs.sim, args: scaleArgs(shared) };
    groups.unshift(group("scale", [scale]));
  }
  return { groups, skipped };
}

/** One month of tenants with quotas; undefined where the trace is missing. */
export function phillyArgs(shared) {
  const trace = join(shared, "traces/microsoft-philly/philly_2017_sep_oct.csv.gz");
  if (!existsSync(trace)) return undefined;
  return ["philly", "--jobs", fileOf(trace), ...words("--month 2017-10 --quota tight --nodes 95 -o json")];
}

/** One day of 50,000 GPUs under load. The demand is named, so that it counts as an input. */
export function scaleArgs(shared) {
  const demand = join(shared, "traces/helios-earth-vc/earth_vc_may2020_10min.csv.gz");
  const named = existsSync(demand) ? ["--demand", fileOf(demand)] : [];
  return ["scale", ...words("--days 1 --load 0.92 -o json"), ...named];
}

/** An argument as a program gets it: files by their path. */
export function plainArgument(argument) {
  return argument.path ?? argument;
}

/** Changes when another thing is played: another program, other arguments, another content of a file. */
export function keyOf({ stream, play, program, args }) {
  const named = args.map((argument) => argument.digest ?? argument);
  return createHash("sha256")
    .update(JSON.stringify([stream, play, program, named]))
    .digest("hex")
    .slice(0, 16);
}

function scenarioGroup(inputs, shared) {
  const own = filesBelow(inputs, "packages").filter((path) => scenario.test(path));
  const beside = filesBelow(shared, "scenarios").filter((path) => path.endsWith(".yaml"));
  const named = [
    ...own.map((path) => ({ name: basename(path), path: join(inputs, path) })),
    ...beside.map((path) => ({ name: `shared/${basename(path)}`, path: join(shared, path) })),
  ];
  const tasks = named.map(({ name, path }) => ({
    stream: `scenario ${name}`,
    play: "program",
    program: programs.sim,
    args: ["scenario", fileOf(path), "-o", "json"],
  }));
  return group("scenarios", tasks);
}

function journalGroup(inputs) {
  const files = filesBelow(inputs, "packages").filter((path) => journal.test(path));
  const tasks = files.map((path) => ({
    stream: `journal ${basename(path, ".golden.jsonl")}`,
    play: "journal",
    args: [fileOf(join(inputs, path))],
  }));
  return group("journals", tasks);
}

function proverGroups(cases) {
  const groups = [];
  for (let from = 0; from < cases; from += casesPerProcess) {
    const length = Math.min(casesPerProcess, cases - from);
    const tasks = Array.from({ length }, (_, i) => ({
      stream: `prover case ${from + i}`,
      play: "program",
      program: programs.prove,
      args: ["--json", "--no-shrink", "--cases=1", `--first=${from + i}`],
    }));
    groups.push(group("prover", tasks));
  }
  return groups;
}

function benchGroups(gpus) {
  return benchCases.map((name) =>
    group(name, [
      { stream: `bench ${name}`, play: "bench", program: programs.benchCases, args: [name, String(gpus), "1"] },
    ]),
  );
}

function group(name, tasks) {
  return { name, tasks };
}

function fileOf(path) {
  return { path, digest: createHash("sha256").update(readFileSync(path)).digest("hex") };
}

function words(text) {
  return text.split(" ");
}
