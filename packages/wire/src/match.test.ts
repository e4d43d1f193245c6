import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rankOf } from "./match.ts";

describe("how well a name matches what was typed", () => {
  it("ranks the same before its beginning, a part, the middle, and letters that begin its parts", () => {
    for (const [name, text, rank] of [
      ["llama-ft-3", "LLAMA-FT-3", 0],
      ["llama-ft-3", "llama", 1],
      ["llama-ft-3", "ft", 2],
      ["llama-ft-3", "ama", 3],
      ["llama-ft-3", "lft3", 4],
      ["llama-ft-3", "llama 3", 4],
      ["h100-0042", "h0042", 4],
      ["research/nlp", "rnlp", 4],
      ["virtual-15", "v5", undefined],
      ["llama-ft-3", "lma", undefined],
      ["llama-ft-3", "3l", undefined],
      ["llama-ft-3", "x", undefined],
      ["", "ab", undefined],
    ] as const)
      assert.equal(rankOf(name, text), rank, `${text} in ${name}`);
  });
});
