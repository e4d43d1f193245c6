import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Mutant, mutants } from "./mutant-list.ts";

export interface MutantsPlan {
  /** How many cases are played with each mutant. */
  readonly cases: number;
  readonly seed: number;
  readonly say: (text: string) => void;
  readonly out: (line: string) => void;
}

/** Breaks a copy of the built core in one small way after another and lets the search run on each; 0 = all are found. */
export function runMutants({ cases, seed, say, out }: MutantsPlan): number {
  const core = dirname(fileURLToPath(import.meta.resolve("@tessera/core")));
  // A mutant that no longer applies must fail before the first one has cost its time.
  const broken = mutants.map((mutant) => ({ mutant, files: mutate(core, mutant) }));
  const survived: string[] = [];
  const sound = searchWith(core, cases, seed);
  if (sound.found) {
    say(`the search finds a fault without any mutant, so no mutant can be judged: ${sound.what}`);
    out(JSON.stringify({ mutants: mutants.length, found: 0, unbroken: sound.what, cases, seed }));
    return 1;
  }
  for (const { mutant, files } of broken) {
    const folder = mkdtempSync(join(tmpdir(), "tessera-mutant-"));
    try {
      cpSync(core, folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      for (const [file, text] of files) writeFileSync(join(folder, file), text);
      const { found, what } = searchWith(folder, cases, seed);
      say(`${found ? "found   " : "SURVIVES"} ${mutant.name}${found ? `: ${what}` : ""}`);
      if (!found) survived.push(mutant.name);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  out(JSON.stringify({ mutants: mutants.length, found: mutants.length - survived.length, survived, cases, seed }));
  return survived.length === 0 ? 0 : 1;
}

/** The files with the mutant in them; each text that it replaces must be there exactly once. */
export function mutate(core: string, { name, also = [], ...edit }: Mutant): Map<string, string> {
  const files = new Map<string, string>();
  for (const { file, from, to } of [edit, ...also]) {
    const text = files.get(file) ?? readFileSync(join(core, file), "utf8");
    const times = text.split(from).length - 1;
    if (times !== 1) throw new Error(`mutant "${name}" is stale: ${file} holds ${times} times: ${from}`);
    files.set(
      file,
      text.replace(from, () => to),
    );
  }
  return files;
}

/** A search in a process of its own, with this core instead of the built one, until its first fault. */
function searchWith(core: string, cases: number, seed: number): { found: boolean; what: string } {
  const here = dirname(fileURLToPath(import.meta.url));
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    ["--import", join(here, "other-core.js"), join(here, "scheduler.js"), "--until-fault", "--no-shrink"].concat([
      `--cases=${cases}`,
      `--seed=${seed}`,
    ]),
    { env: { ...process.env, TESSERA_OTHER_CORE: core }, encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  if (error !== undefined) throw error;
  if (status !== 0 && status !== 1) throw new Error(`the search ended with ${status}:\n${stdout}\n${stderr}`);
  const what = /^# (.*)$/m.exec(stdout)?.[1] ?? "";
  return { found: status === 1, what: what.slice(0, 160) };
}
