import { durationUnitsMs } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";

/** What a member does once it runs, known in advance: that is what makes a fleet of any size cheap to simulate. */
export interface Script {
  /** From the start to its own end; Infinity when it never ends by itself. */
  readonly runMs: number;
  readonly exitCode: number;
  /** From here on it does not listen to signals; Infinity when it always does. */
  readonly deafFromMs: number;
  /** From here on its done file is written; Infinity when it writes none. */
  readonly doneFromMs: number;
  /** When told to stop it saves for so long and exits with 0; undefined = the signal ends it. */
  readonly leaveMs?: number;
  readonly lines: readonly ScriptLine[];
}

export interface ScriptLine {
  readonly afterMs: number;
  readonly stream: "stdout" | "setup";
  readonly text: string;
}

const grammar =
  "a simulated member understands `sleep 10` (seconds; also 500ms, 5m, 2h, infinity), `echo text`, `exit 3`, `true`, `false`, `touch $TESS_DONE` and `trap '' TERM`, separated by `;` or line ends";

/**
 * Reads `setup` and `run` as a small part of the shell's language, so that the same commands mean the same on a real
 * machine. Returns the reason when something else is asked for.
 */
export function parseScript(order: Pick<LeaseOrder, "setup" | "run">): Script | string {
  const run = parse(order.run, "stdout");
  if (typeof run === "string" || order.setup === undefined) return run;
  const setup = parse(order.setup, "setup");
  if (typeof setup === "string" || setup.exitCode !== 0) return setup;
  const later = setup.runMs;
  return {
    runMs: later + run.runMs,
    exitCode: run.exitCode,
    deafFromMs: Math.min(setup.deafFromMs, later + run.deafFromMs),
    doneFromMs: Math.min(setup.doneFromMs, later + run.doneFromMs),
    lines: [...setup.lines, ...run.lines.map((line) => ({ ...line, afterMs: later + line.afterMs }))],
  };
}

function parse(text: string, stream: ScriptLine["stream"]): Script | string {
  const lines: ScriptLine[] = [];
  let runMs = 0;
  let exitCode = 0;
  let deafFromMs = Number.POSITIVE_INFINITY;
  let doneFromMs = Number.POSITIVE_INFINITY;
  for (const words of statementsOf(text)) {
    const [verb, ...rest] = words;
    const wrong = `cannot run ${JSON.stringify(words.join(" "))}: ${grammar}`;
    switch (verb) {
      case "true":
      case "false":
        exitCode = verb === "true" ? 0 : 1;
        break;
      case "echo":
        lines.push({ afterMs: runMs, stream, text: rest.join(" ") });
        exitCode = 0;
        break;
      case "sleep": {
        const ms = durationOf(rest[0] ?? "");
        if (ms === undefined || rest.length > 1) return wrong;
        runMs += ms;
        exitCode = 0;
        break;
      }
      case "trap":
        if (rest.length < 2 || rest[0] !== "") return wrong;
        deafFromMs = Math.min(deafFromMs, runMs);
        exitCode = 0;
        break;
      case "touch":
        if (rest.length !== 1 || rest[0] !== "$TESS_DONE") return wrong;
        doneFromMs = Math.min(doneFromMs, runMs);
        exitCode = 0;
        break;
      case "exit": {
        const code = Number(rest[0] ?? exitCode);
        if (!Number.isInteger(code) || code < 0 || code > 255) return wrong;
        return { runMs, exitCode: code, deafFromMs, doneFromMs, lines };
      }
      default:
        return wrong;
    }
    if (runMs === Number.POSITIVE_INFINITY) break;
  }
  return { runMs, exitCode, deafFromMs, doneFromMs, lines };
}

/** As `sleep` reads it: fractions are allowed, and a number alone is seconds. */
function durationOf(text: string): number | undefined {
  if (text === "infinity") return Number.POSITIVE_INFINITY;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * durationUnitsMs[match[2] ?? "s"]!);
}

/** Words of each statement, quotes taken away. */
function statementsOf(text: string): string[][] {
  const statements: string[][] = [];
  let words: string[] = [];
  for (const [token, single, double] of text.matchAll(/'([^']*)'|"([^"]*)"|[;\n]|[^\s;'"]+/g)) {
    if (token === ";" || token === "\n") {
      if (words.length > 0) statements.push(words);
      words = [];
    } else words.push(single ?? double ?? token);
  }
  if (words.length > 0) statements.push(words);
  return statements;
}
