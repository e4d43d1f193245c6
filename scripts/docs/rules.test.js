import assert from "node:assert/strict";
import test from "node:test";
import { root } from "../launch/root.js";
import { readMarkdown } from "./markdown.js";
import { citingFiles, rulesInBrackets, rulesOfSpec, rulesShown } from "./rules.js";

const rules = rulesOfSpec(readMarkdown(root, "packages/core/SPEC.md"));
const files = citingFiles(root);

/** The rules of SPEC.md that no file whose path matches cites, as `citations` reads them. */
function missingIn(path, citations) {
  const cited = new Set(files.filter((file) => path.test(file.path)).flatMap(({ text }) => citations(text)));
  return rules.filter((rule) => !cited.has(rule));
}

test("SPEC.md gives each of its rules one number", () => {
  assert.ok(rules.length > 30, `only ${rules.length} rules were found`);
  assert.equal(new Set(rules).size, rules.length);
});

test("every rule of SPEC.md is cited by a unit test of the core", () => {
  assert.deepEqual(missingIn(/^packages\/core\/src\/.*\.test\.ts$/, rulesInBrackets), []);
});

test("every rule of SPEC.md is shown by a scenario", () => {
  assert.deepEqual(missingIn(/^packages\/sim\/scenarios\/.*\.yaml$/, rulesShown), []);
});

test("every rule that a scenario says it shows is in SPEC.md", () => {
  for (const { path, text } of files.filter(({ path }) => path.startsWith("packages/sim/scenarios/")))
    for (const rule of rulesShown(text)) assert.ok(rules.includes(rule), `${path}: ${rule}`);
});
