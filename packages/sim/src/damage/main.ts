import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countOf, parseCall } from "../call.ts";
import { seedOf } from "../prove/dice.ts";
import { buildFixture } from "./fixture.ts";
import { type Case, Ground, type Outcome } from "./trial.ts";

const usage = `npm run prove:damage -- [options]: flips and cuts in the files of a data folder, one at a time; none may lose anything silently

  --cases N  How many damages (default 500)
  --seed N   Where chance begins (default 1)
  --json     Print only the last line, one JSON object

A real server runs jobs, with prices, people and secrets; it is stopped, and killed the next time. Each case damages one
file of a copy: store, WAL, head file, snapshot, keys, or a backup.
Outcomes: refused (start or restore says why), repaired (and said so), verified (only verify says so), harmless
(everything is there), silent loss.

Exit codes: 0 no silent loss, 1 otherwise, 2 wrong usage.`;

const values = parseCall(usage, {
  cases: { type: "string", default: "500" },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
});
const cases = countOf(usage, "--cases", values.cases);
const seed = countOf(usage, "--seed", values.seed);
const dir = mkdtempSync(join(tmpdir(), "tessera-damage-"));
const byFile: Record<string, Partial<Record<Outcome, number>>> = {};
const lost: Case[] = [];
try {
  const ground = await Ground.survey(await buildFixture(join(dir, "whole")), dir);
  for (let no = 0; no < cases; no++) {
    const tried = await ground.try(seedOf(seed, no));
    const counts = byFile[tried.file] ?? {};
    byFile[tried.file] = { ...counts, [tried.outcome]: (counts[tried.outcome] ?? 0) + 1 };
    if (tried.outcome === "silent loss") lost.push(tried);
    if (!values.json) console.log(`${no} ${tried.file}: ${tried.outcome}. ${tried.harm}. ${tried.said}`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
const total = (outcome: Outcome) => Object.values(byFile).reduce((sum, counts) => sum + (counts[outcome] ?? 0), 0);
const detected = total("refused") + total("repaired") + total("verified");
const report = { prove: "damage", cases, seed, detected, harmless: total("harmless"), silentLoss: lost.length, byFile };
for (const each of lost) console.error(`silent loss: ${each.file}: ${each.harm}: ${each.said}`);
console.log(JSON.stringify(report));
process.exitCode = lost.length === 0 ? 0 : 1;
