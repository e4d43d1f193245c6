import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isBadFile, parseScenario } from "./parse.ts";
import { pictureOf } from "./picture.ts";
import type { Scenario } from "./scenario.ts";

/** A scenario file with the rules and reasons of its line `# shows: T1 C2; reason never`. */
export interface Shown {
  readonly file: string;
  readonly scenario: Scenario;
  readonly rules: readonly string[];
  readonly reasons: readonly string[];
}

/** A section of SPEC.md with its rules. */
export interface Chapter {
  readonly title: string;
  readonly rules: readonly string[];
}

/** The sections of SPEC.md that hold rules, `- **T1 …`, in their order. */
export function chaptersOf(spec: string): Chapter[] {
  const sections = spec.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const rules = [...section.matchAll(/^- \*\*([A-Z]\d+)\b/gm)].map((match) => match[1]!);
    return rules.length === 0 ? [] : [{ title: section.split("\n", 1)[0]!, rules }];
  });
}

/** The scenario files of a folder, by name. */
export function readShown(folder: string): Shown[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.sort().map((file) => {
    const source = readFileSync(join(folder, file), "utf8");
    const scenario = parseScenario(source);
    assert.ok(!isBadFile(scenario), `${file}: ${JSON.stringify(scenario)}`);
    const parts = (/^# shows: (.*)$/m.exec(source)?.[1] ?? "").split(";").map((part) => part.trim());
    const reasons = parts.flatMap((part) => (part.startsWith("reason ") ? [part.slice("reason ".length)] : []));
    const shown = parts.filter((part) => !part.startsWith("reason ")).flatMap((part) => part.split(" "));
    return { file, scenario, rules: shown.filter((rule) => rule !== ""), reasons };
  });
}

/** docs/scenarios.md: every rule with the scenarios that show it, and a picture of the first. */
export async function pageOf(shown: readonly Shown[], chapters: readonly Chapter[]): Promise<string> {
  const lines = [
    "# The rules in pictures",
    "",
    "Each rule of [SPEC.md](../packages/core/SPEC.md) with a scenario that shows it: at each instant the inputs, then every node with the jobs on each of its GPUs, the burst jobs among them, and the waiting jobs with their reasons.",
    "`-` is a free GPU, `a + b` share one, `a*` is leaving. The files run with `npx tess-sim scenario packages/sim/scenarios/*.yaml`. This page is written by `npm run docs:scenarios`, and a test compares it with the files.",
  ];
  const drawn = new Set<string>();
  for (const { title, rules } of chapters) {
    lines.push("", `## ${title}`);
    for (const rule of rules) {
      const those = shown.filter((each) => each.rules.includes(rule));
      lines.push("", `### ${rule}`, "");
      for (const { file, scenario } of those) lines.push(`- [${scenario.name}](../packages/sim/scenarios/${file})`);
      const first = those.find(({ file }) => !drawn.has(file));
      if (first === undefined) continue;
      drawn.add(first.file);
      lines.push("", `${capital(first.scenario.name)}:`, "", "```", await pictureOf(first.scenario), "```");
    }
  }
  lines.push("", "### Reasons", "");
  for (const reason of [...new Set(shown.flatMap(({ reasons }) => reasons))].sort()) {
    const files = shown.filter(({ reasons }) => reasons.includes(reason));
    const links = files.map(({ file }) => `[${file}](../packages/sim/scenarios/${file})`);
    lines.push(`- \`${reason}\`: ${links.join(", ")}`);
  }
  lines.push(
    "",
    "A scenario file has no words for `held`, `dependency`, `budget` and `price`: see [explain.md](explain.md).",
    "",
  );
  return lines.join("\n");
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
