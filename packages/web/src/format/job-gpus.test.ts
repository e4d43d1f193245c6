import assert from "node:assert/strict";
import { it } from "node:test";
import { jobGpus, spellJobGpus } from "./job-gpus.ts";

it("the GPUs of an array are those of its elements that wait, or that run", () => {
  const elements = { size: 6, waiting: 4, active: 2 };
  assert.equal(spellJobGpus({ gpus: 8, state: "waiting", elements: { size: 6, waiting: 6, active: 0 } }), "6 × 8 GPUs");
  assert.equal(spellJobGpus({ gpus: 8, state: "running", elements }), "2 × 8 GPUs");
  assert.equal(jobGpus({ gpus: 8, state: "running", elements }), 16);
  assert.equal(spellJobGpus({ gpus: 8, state: "ended", elements: { size: 6, waiting: 0, active: 0 } }), "6 × 8 GPUs");
  assert.equal(spellJobGpus({ gpus: 0, state: "waiting", elements }), "0 GPUs");
  assert.equal(spellJobGpus({ gpus: 1, state: "running" }), "1 GPU");
  assert.equal(jobGpus({ gpus: 4, state: "waiting" }), 4);
});
