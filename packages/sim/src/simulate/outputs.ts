import { writeFileSync } from "node:fs";
import { type Terminal, WrongUsage } from "../command/command.ts";
import { wantsJson } from "../command/options.ts";
import { Progress } from "../command/progress.ts";
import { codeRevision } from "../command/revision.ts";
import { type Beside, pageOf } from "../page/page.ts";
import { writeLog } from "./log.ts";
import type { Result } from "./result.ts";
import type { Setting } from "./setting.ts";

const sampleMs = 1_800_000;

/** Options that every protocol has. */
export const outputOptions = {
  output: { type: "string", short: "o" },
  log: { type: "string" },
  html: { type: "string" },
} as const;

export interface OutputValues {
  readonly output?: string | undefined;
  readonly log?: string | undefined;
  readonly html?: string | undefined;
}

/** Lets a run show its progress, and be sampled for its page. */
export function watched(what: string, setting: Setting): Setting {
  const progress = new Progress(setting.arrivals.length);
  return {
    sampleMs,
    ...setting,
    progress: (over, done) => (done ? progress.clear() : progress.at(over, `jobs, ${what}`)),
  };
}

/** Writes the results of a run as the options say; `from` is 0 of the trace's clock. */
export function writeOutputs(
  { out }: Terminal,
  values: OutputValues,
  found: {
    readonly figures: { readonly command: string; readonly [name: string]: unknown };
    readonly result: Result;
    readonly from: number;
    readonly lines: readonly string[];
    readonly beside?: Beside;
  },
): void {
  const code = codeRevision();
  if (wantsJson(values.output)) out(JSON.stringify({ ...found.figures, revision: code }));
  else for (const line of found.lines) out(line);
  if (values.log !== undefined) writeLog(values.log, found.result, found.from);
  if (values.html !== undefined) {
    const lines = [...found.lines, "", `code revision ${code}`];
    writeFileSync(values.html, pageOf(`tess-sim ${found.figures.command}`, lines, found.result, found.beside));
  }
}

/** A whole number from 1 on, or wrong usage. */
export function countOf(text: string | undefined, option: string): number {
  const value = Number(text);
  if (text !== undefined && Number.isSafeInteger(value) && value > 0) return value;
  throw new WrongUsage(`${option} is ${text ?? "missing"}; write a whole number from 1 on`);
}
