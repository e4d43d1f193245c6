import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { seedOf } from "../prove/dice.ts";
import { buildFixture } from "./fixture.ts";
import { Ground } from "./trial.ts";

const dir = mkdtempSync(join(tmpdir(), "tessera-damage-"));
after(() => rmSync(dir, { recursive: true, force: true }));

/** The short form of `npm run prove:damage`. */
it("no damage to a file of the data folder, or to a backup, loses anything silently", async () => {
  const ground = await Ground.survey(await buildFixture(join(dir, "whole")), dir);
  const outcomes = new Map<string, number>();
  for (let no = 0; no < 60; no++) {
    const { outcome, file, harm, said } = await ground.try(seedOf(7, no));
    assert.notEqual(outcome, "silent loss", `${file}: ${harm}: ${said}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  for (const outcome of ["refused", "repaired", "harmless"]) assert.ok(outcomes.has(outcome), outcome);
});
