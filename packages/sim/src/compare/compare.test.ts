import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PolicyName, runPolicy } from "./compare.ts";

/** Two nodes of eight GPUs: one long job, a gang over both, a short one behind it. */
const jobs = [
  { submitAt: 0, gpus: 8, runMs: 100 },
  { submitAt: 1, gpus: 16, runMs: 10 },
  { submitAt: 2, gpus: 4, runMs: 20 },
];

describe("a comparison policy", () => {
  const ends: readonly [PolicyName, readonly number[]][] = [
    ["fifo", [100, 110, 130]], // no job passes the gang
    ["greedy-backfill", [100, 110, 22]], // the short one passes
    ["sjf", [100, 110, 130]], // the gang is the shortest, and in the way
    ["srtf", [110, 11, 31]], // the gang takes over at once, then the short one beside the long
    ["srsf", [110, 31, 22]], // the short one needs less of the fleet than the rest of the gang
  ];
  for (const [name, expected] of ends) {
    it(`${name} ends jobs when worked out by hand`, () => {
      assert.deepEqual([...runPolicy(name, jobs, 2, 8)], expected);
    });
  }
});
