import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowsBetween, seen } from "./selection.ts";
import { steadied, taken } from "./steady-rows.ts";

const keyOf = (item: string) => item.slice(0, 1);
const rows = (...items: string[]) => taken(items, keyOf).rows;
const chosen = (...items: string[]) => new Map(items.map((item) => [keyOf(item), { item, isGone: false }]));
const words = (all: ReturnType<typeof seen<string>>) =>
  [...all.values()].map(({ item, isGone }) => (isGone ? `(${item})` : item));

describe("chosen rows", () => {
  it("are all rows between two", () => {
    const keys = (from: string, to: string) => rowsBetween(rows("a", "b", "c", "d"), from, to).map(({ key }) => key);
    assert.deepEqual(keys("d", "b"), ["b", "c", "d"]);
    assert.deepEqual(keys("gone", "a"), ["a"]);
  });

  it("are known as they are now, and those that left the list are told apart", () => {
    const before = rows("a1", "b1", "c1");
    const now = steadied(["a2", "c1"], keyOf, before, true).rows;
    const after = seen(chosen("a1", "b1"), before, now);
    assert.deepEqual(words(after), ["a2", "(b1)"]);
    assert.deepEqual(words(seen(after, now, rows("a2", "c1"))), ["a2", "(b1)"], "also when their row is shown no more");
  });

  it("stay chosen while more pages are read, and where they were never shown", () => {
    const first = rows("a1", "b1");
    const all = chosen("a1", "z1");
    assert.deepEqual(words(seen(all, [], first)), ["a1", "z1"]);
    assert.deepEqual(words(seen(all, first, rows("a1", "b1", "c1"))), ["a1", "z1"]);
    assert.equal(seen(all, first, first), all, "nothing changes for nothing");
  });
});
