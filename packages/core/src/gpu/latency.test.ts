import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keepsPromises, type Load, loadOf, mixes } from "./latency.ts";

const serves = (stretchMax?: number): Load => ({ type: "service", ...(stretchMax !== undefined && { stretchMax }) });
const computes: Load = { type: "train" };

describe("a latency promise", () => {
  it("[P5] is a multiple of the latency without neighbours; a service that does not declare it can spare nothing", () => {
    assert.deepEqual(loadOf({ type: "service", slo: { p99Ms: 250, aloneMs: 100 } }), serves(2_500));
    assert.deepEqual(loadOf({ type: "service", slo: { p99Ms: 250 } }), serves(1_000));
    assert.deepEqual(loadOf({ type: "batch" }), { type: "batch" });
  });

  it("[P5] is kept by MIG beside any neighbour, and on a GPU without neighbours", () => {
    assert.ok(keepsPromises("mig", serves(1_000), [computes, computes]));
    assert.ok(keepsPromises("timeslice", serves(1_000), []));
  });

  it("[P5] is judged by the worst measured latency of each mode", () => {
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

  it("[P5] keeps out a newcomer that would break it, and the delays of several neighbours add up", () => {
    assert.ok(!keepsPromises("timeslice", computes, [serves(2_000)]));
    assert.ok(keepsPromises("timeslice", serves(), [serves(2_000), serves()]));
    assert.ok(!keepsPromises("timeslice", serves(), [serves(2_000), serves(), serves()]));
    assert.ok(!keepsPromises("timeslice", serves(), [serves(), serves(1_500), serves(9_000)]));
  });

  it("[P5] counts a notebook as computing, because it may run anything", () => {
    assert.ok(!keepsPromises("timeslice", { type: "notebook" }, [serves(2_000)]));
  });
});

it("[P5] bursty services and notebooks are not mixed with busy trainings and batches, except by MIG", () => {
  assert.ok(mixes("mps", { type: "notebook" }, [{ type: "batch" }]));
  assert.ok(mixes("timeslice", computes, [computes, serves()]));
  assert.ok(!mixes("timeslice", { type: "notebook" }, [serves()]));
  assert.ok(!mixes("mps", computes, [{ type: "batch" }]));
  assert.ok(!mixes("mig", computes, [serves()]));
});
