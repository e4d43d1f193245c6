import { readFile } from "node:fs/promises";
import { isRefusal, type Refusal, refuse } from "@tessera/core";
import { type BadFile, isBadFile, parseScenario } from "./parse.ts";
import { badFileJson, badFileText, jsonLine, type Paint, readable, summary } from "./report.ts";
import { runScenario, type ScenarioRun } from "./run.ts";

export interface Output {
  readonly json: boolean;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly paint: Paint;
}

const exit = { ok: 0, unmet: 1, badFile: 65 } as const;

/** `tess-sim scenario FILE...`: runs each, tells how it went, and answers the exit code for all of them. */
export async function scenarioCommand(files: readonly string[], { json, out, err, paint }: Output): Promise<number> {
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
