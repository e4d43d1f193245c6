import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root } from "../launch/root.js";

/** The requirements of levels 1 and 2 in each section of the standard. */
const sections = {
  1.1: [1, 2],
  1.2: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  1.3: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  1.4: [1, 2, 3],
  1.5: [1, 2],
  2.1: [1, 2, 3],
  2.2: [1, 2, 3],
  2.3: [1, 2, 3, 4],
  2.4: [1],
  3.2: [1, 2],
  3.3: [1, 2, 3, 4],
  3.4: [1, 2, 3, 4, 5, 6],
  3.5: [1, 2, 3, 4, 5],
  3.7: [1, 2],
  4.1: [1, 2, 3],
  4.2: [1],
  4.3: [1, 2],
  4.4: [1, 2, 3, 4],
  5.1: [1],
  5.2: [1, 2, 3],
  5.3: [1, 2],
  5.4: [1, 2, 3],
  6.1: [1, 2, 3],
  6.2: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  6.3: [1, 2, 3],
  6.4: [1, 2, 3, 4],
  6.5: [1, 2, 3, 4, 5],
  6.6: [1, 2, 3],
  6.8: [1, 2, 3, 4],
  7.1: [1, 2, 3],
  7.2: [1, 2, 3, 4],
  7.3: [1, 2],
  7.4: [1, 2, 3, 4, 5],
  7.5: [1, 2],
  7.6: [1, 2],
  8.1: [1, 2],
  8.2: [1, 2, 3],
  8.3: [1],
  8.4: [1],
  9.1: [1, 2, 3],
  9.2: [1, 2, 3, 4],
  11.1: [1, 2],
  11.2: [1, 2, 3],
  11.3: [1, 2, 3],
  11.4: [1, 2, 3],
  11.5: [1],
  11.6: [1],
  12.1: [1, 2, 3],
  12.2: [1, 2],
  12.3: [1, 2, 3, 4],
  13.1: [1],
  13.2: [1, 2, 3, 4, 5],
  13.3: [1, 2],
  13.4: [1, 2, 3, 4, 5],
  14.1: [1, 2],
  14.2: [1, 2, 3, 4],
  14.3: [1, 2, 3],
  15.1: [1, 2, 3],
  15.2: [1, 2, 3],
  15.3: [1, 2, 3, 4, 5, 6, 7],
  16.1: [1],
  16.2: [1, 2, 3, 4, 5],
  16.3: [1, 2, 3, 4],
  16.4: [1, 2, 3],
  16.5: [1, 2, 3],
};
/** Chapters about what is not there at all. */
const chapters = ["10", "17"];

const page = readFileSync(join(root, "docs/security.md"), "utf8");
const rows = [...page.matchAll(/^\| ([\d.]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, number, , state, shown]) => ({
    number,
    state: state.trim(),
    shown: shown.trim(),
  }),
);

test("docs/security.md has every requirement of levels 1 and 2, once, with a state", () => {
  const wanted = Object.entries(sections).flatMap(([section, numbers]) => numbers.map((each) => `${section}.${each}`));
  assert.deepEqual(rows.map(({ number }) => number).sort(), [...wanted, ...chapters].sort());
  assert.deepEqual([...new Set(rows.map(({ state }) => state))].sort(), ["held", "n/a", "not held"]);
  const count = (state) => rows.filter((row) => row.state === state).length;
  const sum = `${count("held")} held, ${count("not held")} not held, ${count("n/a")} not applicable.`;
  assert.ok(page.includes(sum), `it says: ${sum}`);
});

test("every file that docs/security.md names is there", () => {
  const missing = rows
    .flatMap(({ shown }) => [...shown.matchAll(/`([^` ]+\/[^` ]+)`/g)].map(([, path]) => path))
    .filter((path) => !existsSync(join(root, path)));
  assert.deepEqual(missing, []);
});
