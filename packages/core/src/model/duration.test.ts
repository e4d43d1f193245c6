import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationText, readDuration, shortDuration } from "./duration.ts";
import { day, hour, minute } from "./units.ts";

describe("durations", () => {
  it("are read in one or several units, and nothing else is", () => {
    assert.deepEqual(["90m", "2h30m", "1w", "500ms", "1.5h", "90", "", "h"].map(readDuration), [
      90 * minute,
      150 * minute,
      7 * day,
      500,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("are written exactly, so that reading them gives the same", () => {
    for (const ms of [1, 999, 1_000, 61_001, 26 * hour, 8 * day + 5 * minute])
      assert.equal(readDuration(durationText(ms)), ms);
    assert.equal(durationText(26 * hour + 1), "1d2h1ms");
    assert.equal(durationText(0), "0s");
  });

  it("are shown to people in two units that follow each other", () => {
    assert.deepEqual(
      [500, 42_700, 192_000, hour, 5 * hour + 20 * minute + 9_000, 3 * day + 4 * hour, 3 * day + 5 * minute].map(
        shortDuration,
      ),
      ["500ms", "42s", "3m12s", "1h", "5h20m", "3d4h", "3d"],
    );
  });
});
