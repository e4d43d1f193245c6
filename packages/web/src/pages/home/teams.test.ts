import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addedUp, restOf } from "./teams.ts";

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

  it("adds up to the whole with what is not in them", () => {
    const spent = new Map([
      ["lab/nlp", "9007199254740993"],
      ["lab/vision", "40"],
    ]);
    assert.equal(restOf("9007199254741040", spent), "7");
    assert.equal(restOf("5", new Map()), "5");
  });
});
