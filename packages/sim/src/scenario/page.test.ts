import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { chaptersOf, pageOf, readShown } from "./page.ts";

const root = new URL("../../../../", import.meta.url);
const shown = readShown(fileURLToPath(new URL("packages/sim/scenarios", root)));

const chapters = chaptersOf(readFileSync(new URL("packages/core/SPEC.md", root), "utf8"));
const rules = chapters.flatMap((chapter) => chapter.rules);

describe("docs/scenarios.md", () => {
  it("reads sections and rules from the text of SPEC.md", () => {
    const spec = "# Rules\n\n## Words\n- **Usage** of\n\n## Order\n- **O1** The\n  - note [O2]\n- **O2 Next.** At\n";
    assert.deepEqual(chaptersOf(spec), [{ title: "Order", rules: ["O1", "O2"] }]);
  });

  it("shows every rule of SPEC.md", () => {
    assert.ok(rules.length > 40, `only ${rules.length} rules were found`);
    for (const rule of rules)
      assert.ok(
        shown.some((each) => each.rules.includes(rule)),
        rule,
      );
    for (const { file, rules: own } of shown) {
      assert.ok(own.length > 0, `${file} does not say what it shows`);
      for (const rule of own) assert.ok(rules.includes(rule), `${file}: ${rule}`);
    }
  });

  it("has a scenario for each reason that a scenario file can bring about", () => {
    const kinds = [
      "never",
      "not-yet",
      "evicting",
      "quota",
      "capacity",
      "shape",
      "isolation",
      "health",
      "reservation",
      "order",
    ];
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

  it("is up to date with SPEC.md and the scenario files", async () => {
    const page = readFileSync(new URL("docs/scenarios.md", root), "utf8");
    assert.equal(await pageOf(shown, chapters), page, "run npm run docs:scenarios");
  });
});
