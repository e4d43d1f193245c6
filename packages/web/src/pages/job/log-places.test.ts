import assert from "node:assert/strict";
import { it } from "node:test";
import { columnsOf, timeOfLine } from "./log-places.ts";

it("the ranks side by side are those asked for, as many as fit; else the first", () => {
  assert.deepEqual(columnsOf(null, 3), [0, 1, 2]);
  assert.deepEqual(columnsOf("", 64), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(columnsOf("60-63, 8", 64), [8, 60, 61, 62, 63]);
  assert.deepEqual(columnsOf("0-63", 64), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(columnsOf("70, nonsense", 4), [0, 1, 2, 3]);
  assert.deepEqual(columnsOf("0-999999", 2), [0, 1]);
});

it("the time of a line is that of its name, if the name is one", () => {
  assert.equal(timeOfLine("2026-11-16T10:00:00.001Z 3 0"), "2026-11-16T10:00:00.001Z");
  assert.equal(timeOfLine("nonsense 1 2"), undefined);
  assert.equal(timeOfLine(null), undefined);
});
