import { availableParallelism, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { orExplain } from "../launch/launch.js";
import { root } from "../launch/root.js";
import { compareDecisions } from "./decisions.js";
import { benchCases, isInput, makeList, names } from "./list.js";
import { isUnnamed } from "./named.js";
import { decisionLines, differenceLines, speedLines } from "./report.js";
import { checkOut, commitOf, copyPresent, extract, presentName } from "./sides.js";
import { isLarge, isSlow, measure } from "./speed.js";
import { openWorkspace } from "./workspace.js";

const usage = `npm run equal -- --base COMMIT [options]: whether the present tree decides as a commit did, and as fast

  --base COMMIT   what to compare with
  --only PART     decisions, or speed (default: both)
  --quick         decisions only: fewer prover cases, benchmark cases at 1,000 GPUs, no traces
  --case NAMES    only these, separated by commas: scenarios, journals, prover, philly, scale,
                  ${benchCases.join(", ")}
  --gpus N        the fleet of the benchmark cases (default 5000)
  --pairs N       pairs of runs of which the median is taken (default 7; at most 3 of scale)
  --fresh         play the base again instead of taking its streams from .cache/equal
  --json          one JSON object on standard output

Differences that are meant stand, with their reasons, in scripts/equal/accepted.js.
Exit codes: 0 the same and as fast, 1 otherwise, 2 wrong usage.`;

const quick = { gpus: 1_000, cases: 300, traces: false };
const whole = { gpus: 5_000, cases: 2_000, traces: true };

function parse() {
  const { values } = parseArgs({
    options: {
      base: { type: "string" },
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      case: { type: "string" },
      gpus: { type: "string" },
      pairs: { type: "string", default: "7" },
      fresh: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return { help: true };
  const size = values.quick ? quick : whole;
  const gpus = Number(values.gpus ?? size.gpus);
  const pairs = Number(values.pairs);
  if (values.base === undefined) throw new TypeError("--base is missing: name the commit to compare with");
  if (![undefined, "decisions", "speed"].includes(values.only)) throw new TypeError("--only is decisions or speed");
  if (values.quick && values.only === "speed") throw new TypeError("--quick compares decisions only");
  if (!Number.isSafeInteger(gpus) || gpus < 8 || gpus % 8 !== 0) throw new TypeError("--gpus is a multiple of 8");
  if (!Number.isSafeInteger(pairs) || pairs < 1) throw new TypeError("--pairs is a whole number from 1");
  const wanted = values.case?.split(",");
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`--case ${unknown}: there is none of this name`);
  const parts = values.quick ? ["decisions"] : [values.only ?? ["decisions", "speed"]].flat();
  return { ...values, ...size, gpus, pairs, parts, wanted };
}

async function main(options) {
  const commit = await commitOf(root, options.base);
  const workspace = openWorkspace();
  const sides = sidesOf(commit, workspace);
  const shared = resolve(root, "../shared");
  const inputs = join(workspace, "inputs");
  await extract(root, commit, inputs, isInput);
  const { groups: all, skipped } = makeList({ ...options, inputs, shared });
  const groups = all.filter(({ name }) => options.wanted?.includes(name) ?? true);
  const report = { base: commit.slice(0, 7), present: await presentName(root), skipped };
  const say = (lines) => {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K"); // where progress is drawn
    if (!options.json) console.log(lines.join("\n"));
  };
  say([`base ${report.base}, present ${report.present}`, ...skipped.map((what) => `skipped: ${what}`)]);
  if (options.parts.includes("decisions")) {
    const tell = (difference, nth) => say(differenceLines(difference, nth));
    report.decisions = await compareDecisions({ groups, sides, root, workspace, fresh: options.fresh, tell });
    say(decisionLines(report.decisions));
  }
  if (options.parts.includes("speed")) {
    const load = loadavg()[0];
    if (load > availableParallelism()) {
      say([`the machine is busy (load ${load.toFixed(1)}): ratios of time on a core say more than those of the wall`]);
    }
    const played = groups.map(({ name }) => name);
    report.speed = await measure({ names: played, sides, root, shared, gpus: options.gpus, pairs: options.pairs });
    say(speedLines(report.speed));
  }
  if (options.json) console.log(JSON.stringify(report));
  const faults = [
    ...(report.decisions?.differences ?? []),
    ...(report.speed?.filter((each) => isSlow(each) || isLarge(each)) ?? []),
  ];
  return faults.some(isUnnamed) ? 1 : 0;
}

/** The present tree as it is built now, and the base, which is checked out and built when it is first needed. */
function sidesOf(commit, workspace) {
  const present = { name: "present", folder: join(workspace, "present") };
  copyPresent(root, present.folder);
  let base;
  return {
    commit,
    present,
    async base() {
      if (base !== undefined) return base;
      base = { name: "base", folder: join(workspace, "base") };
      await checkOut(root, commit, base.folder);
      return base;
    },
  };
}

let options;
try {
  options = parse();
} catch (error) {
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
if (options?.help) console.log(usage);
else if (options !== undefined) process.exitCode = (await orExplain(async () => main(options))) ?? process.exitCode;
