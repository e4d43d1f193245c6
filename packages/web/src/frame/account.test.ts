import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stepsOf } from "./account.ts";

describe("the path of an account", () => {
  it("has a step for each account above it, and its own", () => {
    assert.deepEqual(stepsOf("acme/nlp/x"), ["acme", "acme/nlp", "acme/nlp/x"]);
    assert.deepEqual(stepsOf(""), []);
  });
});
