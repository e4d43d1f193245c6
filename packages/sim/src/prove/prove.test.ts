import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { isBadFile, parseScenario } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { generate } from "./generate.ts";
import { mutants } from "./mutant-list.ts";
import { mutate } from "./mutants.ts";
import { bounds, search } from "./search.ts";
import { shrink } from "./shrink.ts";
import { scenarioText } from "./text.ts";
import { runTrial } from "./trial.ts";

/** A scenario without the fields that a file does not have. */
function plainOf({ nodes, accounts, policy, pools, steps }: Scenario): unknown {
  const amount = (units: Readonly<Record<string, number>> | undefined) =>
    Object.fromEntries(Object.entries(units ?? {}).filter(([, each]) => each > 0));
  return JSON.parse(
    JSON.stringify({
      nodes,
      policy,
      pools,
      accounts: accounts.map((account) => ({ ...account, guarantee: amount(account.guarantee) })),
      steps: steps.map(({ atMs, inputs }) => ({
        atMs,
        submitted: inputs.flatMap((input) => (input.kind === "submit" ? [{ ...input.job, group: "" }] : [])),
        others: inputs.filter(({ kind }) => kind !== "submit").length,
      })),
    }),
  );
}

describe("the random search", () => {
  it("makes the same case from the same seed, and different cases from different seeds", () => {
    assert.deepEqual(generate(7), generate(7));
    assert.notDeepEqual(plainOf(generate(7)), plainOf(generate(8)));
  });

  it("writes every case as a file that tess-sim reads back as the same", () => {
    for (let seed = 1; seed <= 100; seed++) {
      const scenario = generate(seed);
      const parsed = parseScenario(scenarioText(scenario, "a comment\nof two lines"));
      if (isBadFile(parsed)) assert.fail(`${JSON.stringify(parsed)}\n${scenarioText(scenario, "")}`);
      assert.deepEqual(plainOf(parsed), plainOf(scenario));
    }
  });

  it("shrinks a case to the parts that the failure needs", () => {
    const names = ({ steps }: Scenario) =>
      steps.flatMap(({ inputs }) => inputs.flatMap((input) => (input.kind === "submit" ? [input.job.name] : [])));
    const scenario = generate(3);
    const wanted = names(scenario).at(-1)!;
    const small = shrink(scenario, (smaller) => names(smaller).includes(wanted));
    assert.deepEqual(names(small), [wanted]);
    assert.equal(small.steps.length, 1);
    assert.equal(small.nodes.length, 1);
  });
});

describe("the scheduler on random cases", () => {
  it("breaks no rule of the naive model in any of them", () => {
    const { tally, failing } = search({ seed: 7, first: 0, cases: 150 });
    for (const { index, scenario, finding } of failing) {
      assert.fail(scenarioText(scenario, `case ${index} of seed 7: ${finding.kind}: ${finding.what}`));
    }
    assert.equal(tally.cases, 150);
    assert.ok(tally.events > 5_000, "the cases are too small to show anything");
  });
});

describe("the scheduler on random cases with two engines", () => {
  it("[P9] breaks no rule of the naive model in any of them", () => {
    const { tally, failing } = search({ seed: 7, first: 0, cases: 60, twoEngines: true });
    for (const { index, scenario, finding } of failing) {
      assert.fail(scenarioText(scenario, `case ${index} of seed 7: ${finding.kind}: ${finding.what}`));
    }
    assert.ok(tally.events > 2_000, "the cases are too small to show anything");
  });
});

describe("a fault that the search once found", () => {
  const folder = fileURLToPath(new URL("../../src/prove/found/", import.meta.url));
  for (const file of readdirSync(folder).sort()) {
    it(`is mended: ${file}`, () => {
      const scenario = parseScenario(readFileSync(join(folder, file), "utf8"));
      if (isBadFile(scenario)) assert.fail(JSON.stringify(scenario));
      for (const restarts of [false, true])
        assert.equal(runTrial(scenario, { bounds, restarts }).finding?.what, undefined, `restarts: ${restarts}`);
    });
  }
});

describe("mutants of the scheduler", () => {
  it("all apply to the core as it is built", () => {
    const core = dirname(fileURLToPath(import.meta.resolve("@tessera/core")));
    for (const mutant of mutants)
      for (const { file, to } of [mutant, ...(mutant.also ?? [])])
        assert.ok(mutate(core, mutant).get(file)?.includes(to), mutant.name);
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  });

  it("fail loudly when what they change is not there, or there twice", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "tessera-mutant-test-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "a.js"), "one(); two(); two();");
    const mutant = (from: string) => ({ name: "m", file: "a.js", from, to: "none()" });
    assert.equal(mutate(folder, mutant("one()")).get("a.js"), "none(); two(); two();");
    assert.throws(() => mutate(folder, mutant("two()")), /holds 2 times/);
    assert.throws(() => mutate(folder, mutant("three()")), /holds 0 times/);
  });
});
