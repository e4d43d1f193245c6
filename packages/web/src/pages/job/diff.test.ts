import assert from "node:assert/strict";
import test from "node:test";
import { diffLines } from "./diff.ts";

test("a difference keeps what is common and signs what came and went", () => {
  const lines = diffLines(["a", "b", "c"], ["a", "x", "c", "d"]);
  assert.deepEqual(
    lines.map(({ sign, text }) => sign + text),
    [" a", "-b", "+x", " c", "+d"],
  );
  assert.deepEqual(diffLines([], ["a"]), [{ sign: "+", text: "a" }]);
});
