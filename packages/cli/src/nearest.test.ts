import assert from "node:assert/strict";
import test from "node:test";
import { nearest } from "./nearest.ts";

test("a mistyped word finds what was meant, and a foreign one finds nothing", () => {
  assert.equal(nearest("ndoe", ["node", "job", "gpu"]), "node");
  assert.equal(nearest("Jsno", ["json", "yaml"]), "json");
  assert.equal(nearest("kubernetes", ["node", "job"]), undefined);
});
