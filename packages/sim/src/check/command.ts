import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { need, readAccountRules, readAsks, readLog, readMachines } from "./inputs.ts";
import { type Breach, replay } from "./replay.ts";

const shownMax = 20;

/** Replays decision logs with code that knows nothing of the scheduler. */
export const checkCommand: Command = {
  name: "check",
  usage: `  tess-sim check LOG --nodes F --tasks F [--accounts F] [-o json]
                                         Replay a decision log against capacity, gang, slice, quota and trust rules;
                                         --nodes 16x8 means nodes n0 to n15 with 8 GPUs each`,
  run: check,
};

async function check(args: readonly string[], { out, paint }: Terminal): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    nodes: { type: "string" },
    tasks: { type: "string" },
    accounts: { type: "string" },
    output: { type: "string", short: "o" },
  });
  const json = wantsJson(values.output);
  const [log, ...more] = positionals;
  if (log === undefined || more.length > 0) throw new WrongUsage("check needs one LOG");
  const rows = readLog(log);
  const breaches = replay({
    machines: readMachines(need(values.nodes, "--nodes")),
    asks: readAsks(need(values.tasks, "--tasks")),
    rows,
    accounts: values.accounts === undefined ? new Map() : readAccountRules(values.accounts),
  });
  const dropped = rows.filter(({ node }) => node === "").length;
  if (json) out(JSON.stringify({ log, rows: rows.length, dropped, ok: breaches.length === 0, breaches }));
  else {
    for (const breach of breaches.slice(0, shownMax)) out(lineOf(log, breach));
    if (breaches.length > shownMax) out(`… and ${breaches.length - shownMax} more`);
    const verdict =
      breaches.length === 0 ? paint("green", "no rule broken") : paint("red", `${breaches.length} broken`);
    out(`${log}: ${rows.length} decisions, ${dropped} dropped: ${verdict}`);
  }
  return breaches.length === 0 ? exit.ok : exit.unmet;
}

function lineOf(log: string, { rule, line, task, what }: Breach): string {
  return `${log}:${line}: ${rule}: ${task}: ${what}`;
}
