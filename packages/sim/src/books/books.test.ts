import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seedOf } from "../prove/dice.ts";
import { emptyTally, tryCase } from "./trial.ts";

describe("the books of random fleets", () => {
  it("[S10] [S11] [S13] balance, and every invoice can be computed again", () => {
    const tally = emptyTally();
    for (let no = 0; no < 40; no++) tryCase(seedOf(7, no), tally);
    const { cases, entries, ...faults } = tally;
    assert.equal(cases, 40);
    assert.ok(entries > 500);
    assert.deepEqual(faults, {
      ...{ unbalanced: 0, gapsMs: 0, overlapsMs: 0, doubleCharged: 0, recomputeDiffers: 0, orderDependent: 0 },
      ...{ negative: 0, roundingLostMicros: 0 },
    });
  });
});
