import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../launch/root.js";
import { temporaryFolder } from "../launch/temporary.js";
import { pageOf } from "./page.js";
import { rows } from "./rows.js";

const absent = existsSync(join(root, "packages/server/dist/main.js")) ? false : "the server is not built";
const page = () => readFileSync(join(root, "docs/bad-input.md"), "utf8");

test("docs/bad-input.md says what is really answered; npm run docs:bad-input writes it again", {
  skip: absent,
}, async (t) => {
  const now = (await pageOf(temporaryFolder(t))).split("\n");
  const written = page().split("\n");
  for (const [index, line] of now.entries()) assert.equal(line, written[index]);
  assert.equal(now.length, written.length);
});

test("the page has all forty rows, and what it refers to is there", () => {
  const numbers = rows.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  for (const { tests = [] } of rows) {
    for (const { file, says } of tests)
      assert.ok(readFileSync(join(root, file), "utf8").includes(says), `${file}: ${says}`);
  }
});

test("no answer holds a regular expression, a word of a schema or an instant in milliseconds", () => {
  const shown = page();
  for (const wrong of [
    /must NOT have/,
    /must match/,
    /must be object/,
    /\\d\{|\[A-Za-z/,
    /\b1[5-9]\d{11}\b/,
    /ENOENT|EISDIR|EEXIST/,
  ])
    assert.doesNotMatch(shown, wrong);
});
