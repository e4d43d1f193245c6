import { readFile } from "node:fs/promises";
import { isRefusal, type Refusal, refuse } from "@tessera/core";
import { type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { type BadFile, isBadFile, parseScenario } from "./parse.ts";
import { badFileJson, badFileText, jsonLine, readable, summary } from "./report.ts";
import { runScenario, type ScenarioRun } from "./run.ts";

/** Runs scenario files, prints the result of each, and answers one exit code for all. */
export const scenarioCommand: Command = {
  name: "scenario",
  usage: `  tess-sim scenario FILE... [-o json]    Run scenario files and compare what happens with what they expect`,
  run: runFiles,
};

async function runFiles(args: readonly string[], { out, err, paint }: Terminal): Promise<number> {
  const { values, positionals: files } = parseOptions(args, { output: { type: "string", short: "o" } });
  const json = wantsJson(values.output);
  if (files.length === 0) throw new WrongUsage("scenario needs at least one FILE");
  const count = { ok: 0, unmet: 0, bad: 0 };
  for (const file of files) {
    const run = await runFile(file);
    if ("refusal" in run) {
      count.bad++;
      err((json ? badFileJson : badFileText)(file, run.refusal, run.line));
      continue;
    }
    count[run.ok ? "ok" : "unmet"]++;
    out(json ? jsonLine(file, run) : readable(file, run, paint));
  }
  if (!json && files.length > 1) out(summary(count.ok, count.unmet, count.bad, paint));
  if (count.bad > 0) return exit.badFile;
  return count.unmet > 0 ? exit.unmet : exit.ok;
}

async function runFile(file: string): Promise<ScenarioRun | BadFile> {
  const source = await read(file);
  if (isRefusal(source)) return { refusal: source };
  const parsed = parseScenario(source);
  if (isBadFile(parsed)) return parsed;
  const run = await runScenario(parsed);
  return isRefusal(run) ? { refusal: run } : run;
}

async function read(file: string): Promise<string | Refusal> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    return refuse(
      "invalid",
      "",
      null,
      `cannot be read: ${(error as Error).message}`,
      "give the path of a scenario file",
    );
  }
}
