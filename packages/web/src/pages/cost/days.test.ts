import assert from "node:assert/strict";
import test from "node:test";
import { lastDays, stack } from "./days.ts";

test("the last days end now and begin at midnight UTC", () => {
  const days = lastDays(2, Date.parse("2026-11-15T10:00:00Z"));
  assert.deepEqual(days, [
    { from: "2026-11-14T00:00:00.000Z", to: "2026-11-15T00:00:00.000Z" },
    { from: "2026-11-15T00:00:00.000Z", to: "2026-11-15T10:00:00.000Z" },
  ]);
});

test("what is beyond the largest comes together, and nothing is lost", () => {
  const { keys, rows } = stack(
    [
      new Map([
        ["a", 1],
        ["b", 5],
        ["c", 2],
      ]),
      new Map([["a", 1]]),
    ],
    1,
  );
  assert.deepEqual(keys, ["b", "others"]);
  assert.deepEqual(rows, [
    [5, 3],
    [0, 1],
  ]);
});
