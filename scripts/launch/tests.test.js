import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { selectTests } from "./tests.js";

describe("which tests are run", () => {
  const files = [
    "scripts/launch/a.test.js",
    "scripts/launch/a.js",
    "packages/core/dist/index.js",
    "packages/core/dist/model/b.test.js",
    "packages/core/dist/model/b.test.d.ts",
    "packages/core-two/dist/c.test.js",
  ];
  const cases = [
    [[], ["scripts/launch/a.test.js", "packages/core/dist/model/b.test.js", "packages/core-two/dist/c.test.js"]],
    [["packages/core"], ["packages/core/dist/model/b.test.js"]],
    [["./packages/core/"], ["packages/core/dist/model/b.test.js"]],
    [["packages/core/src/model"], ["packages/core/dist/model/b.test.js"]],
    [["packages/core/src/model/b.test.ts"], ["packages/core/dist/model/b.test.js"]],
    [
      ["scripts", "packages/core-two"],
      ["scripts/launch/a.test.js", "packages/core-two/dist/c.test.js"],
    ],
    [["packages/none"], []],
  ];
  for (const [named, expected] of cases) {
    it(`is right for ${named.join(" ") || "all of them"}`, () => {
      assert.deepEqual(selectTests(files, named), expected);
    });
  }
});
