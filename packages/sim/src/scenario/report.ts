import { durationText, hintText, type Refusal, refusalText } from "@tessera/core";
import type { ScenarioRun } from "./run.ts";

/** How a text is coloured; plain where the output is no terminal. */
export type Paint = (style: "green" | "red" | "yellow" | "dim" | "bold", text: string) => string;

/** The result of a file as one line of JSON. */
export function jsonLine(file: string, { name, ok, settled, failures, events }: ScenarioRun): string {
  return JSON.stringify({ file, name, ok, settled, failures, events });
}

/** A run for people: one line when all is well, else each expectation with the actual value. */
export function readable(file: string, { name, ok, failures, events }: ScenarioRun, paint: Paint): string {
  const lines = [`${ok ? paint("green", "✓") : paint("red", "✗")} ${paint("bold", name)}  ${paint("dim", file)}`];
  for (const { at, what, expected, got } of failures) {
    lines.push(
      `    ${paint("dim", `at ${durationText(at)}`)}  ${what}: expected ${shown(expected)}, got ${paint("red", shown(got))}`,
    );
  }
  if (ok) return lines[0]!;
  for (const { at, kind, job, reason } of events) {
    if (kind === "refused") lines.push(`    ${paint("dim", `at ${durationText(at)}`)}  ${job} was refused (${reason})`);
  }
  return lines.join("\n");
}

export function summary(ok: number, failed: number, bad: number, paint: Paint): string {
  const parts = [
    paint(ok > 0 ? "green" : "dim", `${ok} as expected`),
    paint(failed > 0 ? "red" : "dim", `${failed} not`),
    ...(bad > 0 ? [paint("red", `${bad} bad ${bad === 1 ? "file" : "files"}`)] : []),
  ];
  return parts.join(", ");
}

/** What is wrong with a file, where, and what to do. */
export function badFileText(file: string, refusal: Refusal, line?: number): string {
  const where = line === undefined ? file : `${file}:${line}`;
  return `${where}: ${refusalText(refusal)} ${hintText(refusal)}`;
}

export function badFileJson(file: string, { refused, field, value, detail, hint }: Refusal, line?: number): string {
  return JSON.stringify({ error: { code: refused, message: detail, hint, file, line: line ?? null, field, value } });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(", ")}]`;
  return String(value);
}
