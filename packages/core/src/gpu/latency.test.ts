import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keepsPromises, type Load, loadOf, mixes } from "./latency.ts";

const serves = (stretchMax?: number): Load => ({ type: "service", ...(stretchMax !== undefined && { stretchMax }) });
const computes: Load = { type: "train" };

describe("a latency promise", () => {
  it("[P5] is how many times as long as alone an answer may take; who does not know that has nothing to spare", () => {
    assert.deepEqual(loadOf({ type: "service", slo: { p99Ms: 250, aloneMs: 100 } }), serves(2_500));
    assert.deepEqual(loadOf({ type: "service", slo: { p99Ms: 250 } }), serves(1_000));
    assert.deepEqual(loadOf({ type: "batch" }), { type: "batch" });
  });

  it("[P5] is kept by MIG whoever is there, and on a GPU of its own", () => {
    assert.ok(keepsPromises("mig", serves(1_000), [computes, computes]));
    assert.ok(keepsPromises("timeslice", serves(1_000), []));
  });

  it("[P5] is judged by the worst that was measured for each way of sharing", () => {
    for (const [mode, beside, kept, broken] of [
      ["mps", computes, 4_600, 4_599],
      ["mps", serves(), 1_400, 1_399],
      ["timeslice", computes, 3_000, 2_999],
      ["timeslice", serves(), 1_500, 1_499],
    ] as const) {
      assert.ok(keepsPromises(mode, serves(kept), [beside]), `${mode} ${kept}`);
      assert.ok(!keepsPromises(mode, serves(broken), [beside]), `${mode} ${broken}`);
    }
  });

  it("[P5] stands against a newcomer as well, and what several neighbours cost adds up", () => {
    assert.ok(!keepsPromises("timeslice", computes, [serves(2_000)]));
    assert.ok(keepsPromises("timeslice", serves(), [serves(2_000), serves()]));
    assert.ok(!keepsPromises("timeslice", serves(), [serves(2_000), serves(), serves()]));
    assert.ok(!keepsPromises("timeslice", serves(), [serves(), serves(1_500), serves(9_000)]));
  });

  it("[P5] a notebook may run anything, so it counts as work that computes", () => {
    assert.ok(!keepsPromises("timeslice", { type: "notebook" }, [serves(2_000)]));
  });
});

it("[P5] services and notebooks come in bursts, trainings and batches are busy all the time; by MIG nobody minds", () => {
  assert.ok(mixes("mps", { type: "notebook" }, [{ type: "batch" }]));
  assert.ok(mixes("timeslice", computes, [computes, serves()]));
  assert.ok(!mixes("timeslice", { type: "notebook" }, [serves()]));
  assert.ok(!mixes("mps", computes, [{ type: "batch" }]));
  assert.ok(!mixes("mig", computes, [serves()]));
});
