import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isBadFile, parseScenario } from "./parse.ts";
import { pictureOf } from "./picture.ts";
import type { Scenario } from "./scenario.ts";

/** A scenario file with what its first line says that it shows: `# shows: T1 C2; reason never`. */
export interface Shown {
  readonly file: string;
  readonly scenario: Scenario;
  readonly rules: readonly string[];
  readonly reasons: readonly string[];
}

const chapters: readonly { readonly title: string; readonly letter: string; readonly rules: number }[] = [
  { title: "Amounts", letter: "U", rules: 3 },
  { title: "Class: what a job may lose", letter: "C", rules: 5 },
  { title: "Order: who is next", letter: "O", rules: 4 },
  { title: "Taking back", letter: "T", rules: 14 },
  { title: "Where", letter: "P", rules: 8 },
  { title: "When", letter: "B", rules: 4 },
];

/** Rules that no scenario file can show, and where else they are held. */
export const unshown: Readonly<Record<string, string>> = {
  P6: "a scenario has no scrubs; tests of `packages/core/src/place/handover.test.ts` hold it.",
};

export const rules: readonly string[] = chapters.flatMap(({ letter, rules: count }) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
);

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

/** The page of all rules with a picture of each, as docs/scenarios.md holds it. */
export async function pageOf(shown: readonly Shown[]): Promise<string> {
  const lines = [
    "# The rules in pictures",
    "",
    "Each rule of [SPEC.md](../packages/core/SPEC.md) with a scenario that shows it: at each instant what comes in, then every node with who is on each of its GPUs, who of them is burst, and who waits with the reason.",
    "`-` is a free GPU, `a + b` share one, `a*` is leaving. The files run with `npx tess-sim scenario packages/sim/scenarios/*.yaml`. This page is written by `npm run docs:scenarios`, and a test compares it with the files.",
  ];
  const drawn = new Set<string>();
  for (const { title, letter } of chapters) {
    lines.push("", `## ${title}`);
    for (const rule of rules.filter((each) => each.startsWith(letter))) {
      const those = shown.filter((each) => each.rules.includes(rule));
      lines.push("", `### ${rule}`, "");
      if (those.length === 0) lines.push(`Not shown: ${unshown[rule]}`);
      for (const { file, scenario } of those) lines.push(`- [${scenario.name}](../packages/sim/scenarios/${file})`);
      const first = those.find(({ file }) => !drawn.has(file));
      if (first === undefined) continue;
      drawn.add(first.file);
      lines.push("", `${capital(first.scenario.name)}:`, "", "```", await pictureOf(first.scenario), "```");
    }
  }
  lines.push("", "## Why not now", "");
  for (const reason of [...new Set(shown.flatMap(({ reasons }) => reasons))].sort()) {
    const files = shown.filter(({ reasons }) => reasons.includes(reason));
    const links = files.map(({ file }) => `[${file}](../packages/sim/scenarios/${file})`);
    lines.push(`- \`${reason}\`: ${links.join(", ")}`);
  }
  lines.push(
    "",
    "`held`, `dependency`, `budget` and `reservation` need what a scenario file has no words for: see [explain.md](explain.md).",
    "",
  );
  return lines.join("\n");
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
