import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { effectOn } from "./node-acts.ts";

describe("an act on a node", () => {
  it("names what runs there, whose it is, and what becomes of it", () => {
    const load = { jobs: 3, own: 1, gpus: 8 };
    assert.equal(
      effectOn("drain", { load }, "2h"),
      "The node takes no new work. 3 jobs on 8 GPUs have 2h to end; what still runs then is stopped and waits again. Yours: 1; others': 2.",
    );
    assert.match(
      effectOn("drain", { load: { jobs: 1, own: 1, gpus: 1 } }, ""),
      /1 job on 1 GPU runs to its end\. It is/,
    );
    assert.match(effectOn("cordon", { load: { ...load, own: 0 } }, ""), /3 jobs on 8 GPUs go on\. None is yours\./);
    assert.match(effectOn("down", { load }, ""), /restart elsewhere\. 3 jobs on 8 GPUs count as ended and wait again/);
    assert.match(effectOn("cordon", { load: { jobs: 0, own: 0, gpus: 0 } }, ""), /Nothing runs on it now/);
  });
});
