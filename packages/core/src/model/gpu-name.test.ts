import assert from "node:assert/strict";
import { it } from "node:test";
import { modelMatches } from "./gpu-name.ts";

it("[U2] a name covers its model and the variants of it, and `*` covers all", () => {
  assert.equal(modelMatches("H100", "H100"), true);
  assert.equal(modelMatches("H100", "H100-80GB"), true);
  assert.equal(modelMatches("*", "H100-80GB"), true);
  assert.equal(modelMatches("H100", "H1000"), false);
  assert.equal(modelMatches("H100-80GB", "H100"), false);
});
