import assert from "node:assert/strict";
import test from "node:test";
import { nearestName } from "./nearest.ts";

test("a mistyped word finds what was meant, and a foreign one finds nothing", () => {
  assert.equal(nearestName("ndoe", ["node", "job", "gpu"]), "node");
  assert.equal(nearestName("Jsno", ["json", "yaml"]), "json");
  assert.equal(nearestName("kubernetes", ["node", "job"]), undefined);
});
