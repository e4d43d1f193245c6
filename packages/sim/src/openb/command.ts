import { parse as parsePath } from "node:path";
import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { Progress } from "../command/progress.ts";
import { codeRevision } from "../command/revision.ts";
import { type RunOrder, runMany, type Setting } from "./many.ts";
import { policyNames } from "./policies.ts";
import { readNodes, readTasks } from "./read.ts";
import { rowsOf, tableOf } from "./report.ts";

/** Fractional GPUs on a real fleet: Tessera's placement beside the published ones. */
export const openbCommand: Command = {
  name: "openb",
  usage: `  tess-sim openb --nodes F --tasks F [--policy P,...] [--mix online|oracle] [--seeds 42..51] [--arrived 100,130]
                 [--order file] [--departures] [--log FILE] [-o json]
                                         Place tasks until the fleet is full, by policy: ${policyNames.join(", ")};
                                         --mix says what tessera knows of the tasks to come, --order file leaves
                                         them unshuffled; with --departures tasks leave again, and --arrived is the demand
                                         at once; with several runs FILE becomes FILE-policy-seed`,
  run: openb,
};

async function openb(args: readonly string[], { out }: Terminal): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    nodes: { type: "string" },
    tasks: { type: "string" },
    policy: { type: "string", default: policyNames.join() },
    mix: { type: "string", default: "online" },
    seeds: { type: "string", default: "42..51" },
    arrived: { type: "string", default: "100,130" },
    order: { type: "string", default: "shuffled" },
    departures: { type: "boolean", default: false },
    log: { type: "string" },
    output: { type: "string", short: "o" },
  });
  if (positionals.length > 0) throw new WrongUsage(`openb takes options alone, not ${positionals[0]}`);
  const json = wantsJson(values.output);
  const setting: Setting = {
    nodes: given(values.nodes, "--nodes"),
    tasks: given(values.tasks, "--tasks"),
    order: oneOf("--order", values.order, ["shuffled", "file"] as const),
    mix: oneOf("--mix", values.mix, ["online", "oracle"] as const),
    arrivedPercents: values.arrived.split(",").map((text) => wholeNumber("--arrived", text)),
    departures: values.departures,
  };
  if (setting.departures && setting.order === "file") {
    throw new WrongUsage("--departures draws tasks by chance; leave out --order file");
  }
  if (setting.departures && values.log !== undefined && setting.arrivedPercents.length > 1) {
    throw new WrongUsage("a log with --departures is of one --arrived; write one percent");
  }
  const orders = ordersOf(values.policy.split(","), seedsOf(values.seeds), values.log);
  // Here once, so that a bad file is told before any thread starts.
  readNodes(setting.nodes);
  readTasks(setting.tasks);
  const progress = new Progress(orders.length);
  const from = performance.now();
  const results = await runMany(setting, orders, ({ policy, seed }) => progress.step(`${policy}, seed ${seed}`));
  progress.clear();
  const wallMs = Math.round(performance.now() - from);
  const rows = rowsOf(setting, orders, results);
  const logs = orders.flatMap(({ log }) => log ?? []);
  if (json)
    out(
      JSON.stringify({
        command: "openb",
        revision: codeRevision(),
        ...setting,
        seeds: values.seeds,
        wall_ms: wallMs,
        logs,
        results: rows,
      }),
    );
  else {
    out(tableOf(rows));
    out(`${orders.length} runs in ${(wallMs / 1000).toFixed(1)} s; order ${setting.order}, mix ${setting.mix}`);
  }
  return exit.ok;
}

function ordersOf(policies: readonly string[], seeds: readonly number[], log: string | undefined): RunOrder[] {
  for (const policy of policies) oneOf("--policy", policy, policyNames);
  const one = policies.length * seeds.length === 1;
  return policies.flatMap((policy) =>
    seeds.map((seed) => {
      if (log === undefined) return { policy, seed };
      const { dir, name, ext } = parsePath(log);
      return { policy, seed, log: one ? log : `${dir === "" ? "" : `${dir}/`}${name}-${policy}-${seed}${ext}` };
    }),
  );
}

function given(value: string | undefined, option: string): string {
  if (value === undefined) throw new WrongUsage(`${option} is missing; give the path of a file`);
  return value;
}

function oneOf<Name extends string>(option: string, value: string, names: readonly Name[]): Name {
  const name = names.find((known) => known === value);
  if (name === undefined) throw new WrongUsage(`unknown ${option} ${value}; write one of ${names.join(", ")}`);
  return name;
}

/** `42..51`, or some with commas between. */
function seedsOf(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("..").map((number) => wholeNumber("--seeds", number));
    if (last! < first!) throw new WrongUsage(`--seeds ${part} has no seeds; write the smaller number first`);
    return Array.from({ length: last! - first! + 1 }, (_, at) => first! + at);
  });
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new WrongUsage(`${option}: "${text}" is not a whole number`);
  return Number(text);
}
