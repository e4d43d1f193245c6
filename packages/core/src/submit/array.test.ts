import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { elementAt, elementsOf } from "../model/job.ts";
import { parseArray } from "./fields.ts";

describe("the elements of an array", () => {
  const read = (text: string): number[] => {
    const array = parseArray(text, "array");
    assert.ok(array !== undefined && !isRefusal(array), JSON.stringify(array));
    return Array.from({ length: elementsOf(array) }, (_, i) => elementAt(array, i));
  };

  it("are a range, with a step, or a list of both in ascending order without repeats", () => {
    assert.deepEqual(read("2-4"), [2, 3, 4]);
    assert.deepEqual(read("1-7:3%2"), [1, 4, 7]);
    assert.deepEqual(read("7,3,20-22,3%1"), [3, 7, 20, 21, 22]);
    assert.deepEqual(parseArray("3,7%1", "array"), { atOnceMax: 1, first: 3, last: 7, step: 1, indexes: [3, 7] });
    assert.deepEqual(parseArray("1-3", "array"), { atOnceMax: undefined, first: 1, last: 3, step: 1 });
  });

  for (const wrong of ["3", "", "a-b", "3-1", "1-4:0", "1-4%0", "1,,2", "1-4%2%3", "1-10001", "1-9000,1-9000"])
    it(`are refused as ${JSON.stringify(wrong)}`, () => {
      assert.ok(isRefusal(parseArray(wrong, "array")));
    });
});
