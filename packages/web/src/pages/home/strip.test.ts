import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { legendOf, partsOf } from "./strip.ts";

describe("the strip of the fleet", () => {
  it("draws what of a column is guaranteed, burst, free and out, each as high as its GPUs", () => {
    const parts = partsOf({ maintenance: 8, idle: 12, burst: 120, guaranteed: 60 });
    assert.deepEqual(
      parts.map(({ word, from, share }) => [word, Math.round(from * 200), Math.round(share * 200)]),
      [
        ["guaranteed", 0, 60],
        ["burst", 60, 120],
        ["idle", 180, 12],
        ["maintenance", 192, 8],
      ],
    );
    assert.deepEqual(partsOf({}), []);
  });

  it("has a legend of everything that it draws, and of nothing else", () => {
    assert.deepEqual(
      legendOf([
        { idle: 4, down: 4 },
        { guaranteed: 7.5, idle: 0.5 },
      ]),
      [
        { word: "guaranteed", gpus: 7.5 },
        { word: "idle", gpus: 4.5 },
        { word: "down", gpus: 4 },
      ],
    );
  });
});
