import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stepText, timeTexts, zoneOf } from "./axis.ts";

const hour = 3_600_000;
const day = 24 * hour;

describe("the times of a chart", () => {
  it("are days of UTC where the steps are days, wherever the reader is: a bar stands above its own date", () => {
    const times = [Date.UTC(2026, 10, 14), Date.UTC(2026, 10, 15), Date.UTC(2026, 10, 16)];
    const splits = times.map((at) => at / 1_000);
    for (const zone of ["Pacific/Auckland", "America/Los_Angeles"]) {
      assert.equal(zoneOf({ stepMs: hour }, zone), zone);
      const texts = timeTexts(splits, day / 1_000, zoneOf({ stepMs: day }, zone), () => true);
      assert.deepEqual(
        texts.map((text) => /\d+/.exec(text)?.[0]),
        ["14", "15", "16"],
      );
      assert.match(stepText({ times, stepMs: day }, 1, "bars"), /Nov 15/);
    }
  });

  it("say how long a step is that adds up more than an instant", () => {
    const times = [Date.UTC(2026, 10, 16)];
    assert.match(stepText({ times, stepMs: 3 * day }, 0, "bars"), /^3 days from .*Nov 16$/);
    assert.match(stepText({ times, stepMs: 6 * hour }, 0, "bars"), /^6h from /);
    assert.doesNotMatch(stepText({ times, stepMs: 6 * hour }, 0, "lines"), /from/);
    assert.equal(stepText({ times, stepMs: day }, -1, "bars"), "");
  });
});
