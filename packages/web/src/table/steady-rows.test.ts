import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { steadied, taken, waitingWords } from "./steady-rows.ts";

const keyOf = (item: string) => item.slice(0, 1);
const shown = (...items: string[]) => taken(items, keyOf).rows;
const words = (rows: ReturnType<typeof shown>) => rows.map(({ item, isGone }) => (isGone ? `(${item})` : item));

describe("rows that are read", () => {
  it("stay where they are, changed or gone, while what is new waits", () => {
    const list = steadied(["x1", "y1", "b2", "a1", "d1"], keyOf, shown("a1", "b1", "c1"), true);
    assert.deepEqual(words(list.rows), ["a1", "b2", "(c1)", "d1"]);
    assert.deepEqual(list.fresh, ["x", "y"]);
    assert.equal(waitingWords(list), "2 new, 1 gone");
    assert.equal(waitingWords(taken(["a"], keyOf)), "");
  });

  it("come back into the list where they were", () => {
    const gone = steadied(["a1"], keyOf, shown("a1", "b1"), true);
    assert.deepEqual(words(gone.rows), ["a1", "(b1)"]);
    assert.deepEqual(words(steadied(["a1", "b2"], keyOf, gone.rows, true).rows), ["a1", "b2"]);
  });

  it("are not gone where new ones have pushed them onto a page that is not read again", () => {
    const list = steadied(["x1", "a1", "b1"], keyOf, shown("a1", "b1", "c1"), false);
    assert.deepEqual(words(list.rows), ["a1", "b1", "c1"]);
    assert.deepEqual(list.fresh, ["x"]);
    const next = steadied(["x1", "a1", "b1", "c1", "d1"], keyOf, list.rows, false);
    assert.deepEqual(words(next.rows), ["a1", "b1", "c1", "d1"], "the next page is added at the end");
  });

  it("stay even where all of the list is another one", () => {
    const list = steadied(["x1", "y1"], keyOf, shown("a1"), true);
    assert.deepEqual([words(list.rows), list.fresh], [["(a1)"], ["x", "y"]]);
  });
});
