import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gpusOf, lineOf, partsOfGpus, readFile, withField } from "./job-file.ts";

describe("a job file that is being written", () => {
  it("keeps its comments when the form changes a field", () => {
    const text = "# fine tuning\nname: ft # short\nrun: ./train.sh\n";
    assert.equal(withField(text, "gpus", "H100:8"), "# fine tuning\nname: ft # short\nrun: ./train.sh\ngpus: H100:8\n");
    assert.equal(withField(withField(text, "gpus", 8), "gpus", ""), text);
    assert.equal(withField("", "name", "a"), "name: a\n");
  });

  it("says in which line it cannot be read, and leaves such a text alone", () => {
    const text = "name: a\nrun: [\n";
    assert.ok(readFile(text).fault!.line >= 2);
    assert.equal(withField(text, "name", "b"), text);
    assert.deepEqual(readFile("").fields, {});
  });

  it("finds the line of a field and takes GPUs apart", () => {
    assert.equal(lineOf("name: a\nretry:\n  max: 1\n", "retry.max"), 2);
    assert.equal(lineOf("name: a\n", "gpus"), undefined);
    assert.deepEqual(partsOfGpus("H100:8"), { model: "H100", count: "8" });
    assert.deepEqual(partsOfGpus(4), { model: "", count: "4" });
    assert.equal(gpusOf("", "0.5"), 0.5);
    assert.equal(gpusOf("L4", "0.5"), "L4:0.5");
  });
});
