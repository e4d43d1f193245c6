import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placeAfter } from "./row-keys.ts";

describe("the keys that move through rows", () => {
  const keys = ["a", "b", "c"];

  it("begin with the first row in sight, and end at the ends", () => {
    assert.equal(placeAfter(1, keys, undefined, 1), 1);
    assert.equal(placeAfter(1, keys, { key: "c", place: 2 }, 0), 2);
    assert.equal(placeAfter(-1, keys, { key: "a", place: 0 }, 0), 0);
    assert.equal(placeAfter(1, [], undefined, 0), -1);
  });

  it("go on from where the row stood when it has left the list", () => {
    assert.equal(placeAfter(1, keys, { key: "gone", place: 1 }, 0), 1);
    assert.equal(placeAfter(-1, keys, { key: "gone", place: 1 }, 0), 0);
    assert.equal(placeAfter(1, keys, { key: "gone", place: 9 }, 0), 2);
  });

  it("follow a row that others pushed down", () => {
    assert.equal(placeAfter(1, ["x", ...keys], { key: "a", place: 0 }, 0), 2);
  });
});
