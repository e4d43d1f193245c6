import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addedUp } from "./teams.ts";

describe("what teams spent", () => {
  it("is what all accounts at and below each came to", () => {
    const rows = [
      { key: "acme/nlp", micros: "5" },
      { key: "acme/nlp/x", micros: "9007199254740993" },
      { key: "acme/nlp2", micros: "1" },
    ];
    const spent = addedUp(rows, [{ account: "acme/nlp" }, { account: "acme/nlp2" }, { account: "acme/idle" }]);
    assert.deepEqual([...spent.values()], ["9007199254740998", "1", "0"]);
  });
});
