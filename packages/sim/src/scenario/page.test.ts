import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { pageOf, readShown, rules, unshown } from "./page.ts";

const root = new URL("../../../../", import.meta.url);
const shown = readShown(fileURLToPath(new URL("packages/sim/scenarios", root)));

describe("docs/scenarios.md", () => {
  it("shows every rule that a scenario can show, and says why of the others", () => {
    for (const rule of rules) {
      const is = shown.some((each) => each.rules.includes(rule));
      assert.notEqual(is, unshown[rule] !== undefined, rule);
    }
    for (const { file, rules: own } of shown) {
      assert.ok(own.length > 0, `${file} does not say what it shows`);
      for (const rule of own) assert.ok(rules.includes(rule), `${file}: ${rule}`);
    }
  });

  it("has a scenario with each reason that one can have, which expects it", () => {
    const kinds = ["never", "not-yet", "evicting", "quota", "capacity", "shape", "isolation", "health", "order"];
    for (const kind of kinds)
      assert.ok(
        shown.some(({ reasons }) => reasons.includes(kind)),
        kind,
      );
    for (const { file, scenario, reasons } of shown) {
      const expected = scenario.steps.flatMap(({ expect }) => [
        ...(expect?.waiting ?? []).map((each) => each.kind as string),
        ...((expect?.never ?? []).length > 0 ? ["never"] : []),
      ]);
      for (const reason of reasons) assert.ok(expected.includes(reason), `${file} does not expect ${reason}`);
    }
  });

  it("is what the scenario files make of it", async () => {
    const page = readFileSync(new URL("docs/scenarios.md", root), "utf8");
    assert.equal(await pageOf(shown), page, "run npm run docs:scenarios");
  });
});
