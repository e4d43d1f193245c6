import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root } from "../launch/root.js";
import { readMarkdown } from "./markdown.js";
import { citingFiles, invariantRows, invariantsIn, pathsNamed } from "./rules.js";

const page = "docs/invariants.md";
const [held, open] = readMarkdown(root, page).split("## Not there yet").map(invariantRows);

test("every invariant that is cited is defined in docs/invariants.md, once, and is one that holds", () => {
  const defined = [...held, ...open].map(({ id }) => id);
  assert.deepEqual(defined.toSorted(), [...new Set(defined)].toSorted());
  const holds = new Set(held.map(({ id }) => id));
  let cited = 0;
  for (const { path, text } of citingFiles(root)) {
    if (path === page || path.startsWith("scripts/docs/")) continue;
    for (const id of invariantsIn(text)) {
      cited += 1;
      assert.ok(holds.has(id), `${path} cites ${id}, which ${page} does not define as one that holds`);
    }
  }
  assert.ok(cited > 100, `only ${cited} citations were found`);
});

test("every invariant names files that exist, and those that check it cite it", () => {
  assert.ok(held.length > 20);
  for (const { id, columns } of held) {
    assert.equal(columns.length, 2, `${id}: enforced in, checked in`);
    for (const names of columns) {
      assert.ok(names.length > 0, `${id} names no file`);
      for (const name of names) assert.ok(pathsNamed(root, name).length > 0, `${id}: there is no ${name}`);
    }
    const cites = (path) => invariantsIn(readFileSync(join(root, path), "utf8")).has(id);
    for (const name of columns[1]) assert.ok(pathsNamed(root, name).some(cites), `${id} is not cited in ${name}`);
  }
});

test("a name stands for a file, a folder, or nothing", () => {
  assert.deepEqual(pathsNamed(root, "scripts/docs/rules.js"), ["scripts/docs/rules.js"]);
  assert.ok(pathsNamed(root, "core/claim").length > 1);
  assert.equal(pathsNamed(root, "server/sqlite/store.test.ts").length, 1);
  assert.deepEqual(pathsNamed(root, "core/frobnicate.ts"), []);
});
