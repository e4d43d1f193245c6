import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stepsOf, withAccount } from "./account.ts";

describe("a page that is narrowed to an account", () => {
  it("keeps it in the addresses that lead on, unless they name another", () => {
    assert.equal(withAccount("/jobs", ""), "/jobs");
    assert.equal(withAccount("/jobs", "acme/nlp"), "/jobs?account=acme%2Fnlp");
    assert.equal(withAccount("/jobs?state=waiting", "acme"), "/jobs?state=waiting&account=acme");
    assert.equal(withAccount("/jobs?account=other", "acme"), "/jobs?account=other");
    assert.deepEqual(stepsOf("acme/nlp/x"), ["acme", "acme/nlp", "acme/nlp/x"]);
    assert.deepEqual(stepsOf(""), []);
  });
});
