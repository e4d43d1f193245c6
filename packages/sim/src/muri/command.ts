import { need } from "../check/inputs.ts";
import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { outputOptions, watched, writeOutputs } from "../simulate/outputs.ts";
import { textTable } from "../simulate/table.ts";
import { traceEpoch } from "../trace/itp.ts";
import { readMuri } from "../trace/muri.ts";
import { type MuriClassName, type MuriFigures, muriClasses, runMuri } from "./run.ts";

/** Gangs on 64 GPUs with published completion times (P2). */
export const muriCommand: Command = {
  name: "muri",
  usage: `  tess-sim muri --jobs F --class a|b|c   Gangs on 64 GPUs (protocol P2): run times known, unknown, and never preempted`,
  run: muri,
};

async function muri(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseOptions(args, { ...outputOptions, jobs: { type: "string" }, class: { type: "string" } });
  wantsJson(values.output);
  const path = need(values.jobs, "--jobs");
  const name = classOf(need(values.class, "--class"));
  const { figures, result } = runMuri(readMuri(path), name, watched);
  writeOutputs(terminal, values, {
    figures: { command: "muri", class: name, ...figures },
    result,
    from: traceEpoch,
    lines: linesOf(figures),
  });
  return exit.ok;
}

function classOf(text: string): MuriClassName {
  if (text in muriClasses) return text as MuriClassName;
  throw new WrongUsage(`--class is ${text}; write ${Object.keys(muriClasses).join(", ")}`);
}

function linesOf({ policies, against, ratio, wallS }: MuriFigures): string[] {
  return [
    ...textTable(
      ["policy", "average JCT s", "p99 JCT s", "makespan s"],
      policies.map((each) => [each.policy, each.averageJctS, each.p99JctS, each.makespanS]),
    ),
    "",
    against === null ? `${wallS} s` : `average / ${against}'s: ${ratio}; ${wallS} s`,
  ];
}
