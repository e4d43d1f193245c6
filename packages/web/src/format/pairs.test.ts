import assert from "node:assert/strict";
import { it } from "node:test";
import { readPairs, readWords, writePairs } from "./pairs.ts";

it("pairs are read as they are written, and a word that is none is named", () => {
  assert.deepEqual(readPairs("tier=gold, a/b=c=d"), { pairs: { tier: "gold", "a/b": "c=d" } });
  assert.deepEqual(readPairs(writePairs({ a: "1", b: "2" })), { pairs: { a: "1", b: "2" } });
  assert.deepEqual(readPairs("  "), { pairs: {} });
  for (const text of ["gold", "=gold", "tier=", "a=1 a=2"]) assert.ok("wrong" in readPairs(text), text);
  assert.deepEqual(readWords("lab, studio  x"), ["lab", "studio", "x"]);
});
