import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { effectOn, endWords, readDeadline } from "./node-acts.ts";

describe("an act on a node", () => {
  const load = { jobs: 3, own: 1, gpus: 8, named: [] };

  it("names what runs there, whose it is, and what becomes of it", () => {
    assert.equal(
      effectOn("drain", { load }, readDeadline("120m")),
      "The node takes no new work. 3 jobs on 8 GPUs have 2h to end; what still runs then is stopped and waits again. Yours: 1; others': 2.",
    );
    assert.match(
      effectOn("drain", { load: { ...load, jobs: 1, gpus: 1 } }, readDeadline(" ")),
      /1 job on 1 GPU runs to its end\. It is/,
    );
    assert.match(effectOn("cordon", { load: { ...load, own: 0 } }, {}), /3 jobs on 8 GPUs go on\. None is yours\./);
    assert.match(effectOn("down", { load }, {}), /restart elsewhere\. 3 jobs on 8 GPUs count as ended and wait again/);
    assert.match(effectOn("cordon", { load: { ...load, jobs: 0, gpus: 0 } }, {}), /Nothing runs on it now/);
  });

  it("promises nothing of a deadline that cannot be read", () => {
    const soon = readDeadline("soon");
    assert.deepEqual(soon, { wrong: "soon is not a duration: write 30m or 2h." });
    assert.match(effectOn("drain", { load }, soon), /3 jobs on 8 GPUs run on it\. Yours/);
  });

  it("tells which of the jobs a deadline stops", () => {
    const now = Date.parse("2030-01-01T00:00:00Z");
    const ends = { endsAt: "2030-01-01T02:00:00Z" };
    assert.equal(endWords(ends, readDeadline("1h"), now), "ends in 2h, is stopped at the deadline");
    assert.equal(endWords(ends, readDeadline("3h"), now), "ends in 2h");
    assert.equal(endWords(ends, readDeadline("soon"), now), "ends in 2h");
    assert.equal(endWords(ends, {}, now), "ends in 2h");
    assert.equal(endWords({}, readDeadline("3h"), now), "its end is not known");
  });
});
