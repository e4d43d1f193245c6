import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hintText, refusalText, refuse } from "./refusal.ts";

describe("a refusal as text", () => {
  const text = (field: string, value: string | number | null, detail: string) =>
    refusalText(refuse("invalid", field, value, detail, ""));

  it("continues the field and its value", () => {
    assert.equal(text("memory", "banana", "is not a size"), 'memory "banana" is not a size.');
    assert.equal(text("run", null, "is empty"), "run is empty.");
  });

  it("is preceded by the field where it is a sentence that does not name it", () => {
    assert.equal(text("gpus", "A100:2", "The fleet has no A100"), 'gpus "A100:2": The fleet has no A100.');
    assert.equal(text("job", null, "There is no such job."), "There is no such job.");
    assert.equal(text("", 3, "you have 3 jobs"), "You have 3 jobs.");
  });

  it("has a hint that is a sentence, or none", () => {
    assert.equal(hintText({ hint: "write 64GiB" }), "Write 64GiB.");
    assert.equal(hintText({ hint: "" }), "");
  });
});
