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
      assert.match(stepText({ times, stepMs: day, to: times[2]! }, 1, "bars"), /Nov 15/);
    }
  });

  it("say over what time the value of a step is", () => {
    const times = [Date.UTC(2026, 10, 16)];
    assert.match(stepText({ times, stepMs: 3 * day, to: times[0]! }, 0, "bars"), /^3 days from .*Nov 16$/);
    const local = Date.parse("2026-11-16T21:00:00");
    const ofSteps = { times: [local], stepMs: 3 * hour, to: local + 3 * hour };
    assert.match(stepText(ofSteps, 0, "bars"), /21:00 to 00:00$/);
    assert.match(stepText({ ...ofSteps, each: "mean" }, 0, "lines"), /21:00 to 00:00, mean$/);
    assert.match(stepText({ ...ofSteps, each: "end" }, 0, "lines"), /21:00 to 00:00, at its end$/);
    assert.match(stepText({ ...ofSteps, stepMs: 60_000, each: "mean" }, 0, "lines"), /21:00$/);
    assert.match(stepText(ofSteps, 0, "lines"), /21:00$/, "what stands at an instant");
    const underWay = { ...ofSteps, to: local + 130 * 60_000, each: "end" as const };
    assert.match(stepText(underWay, 0, "lines"), /21:00 to 23:10, at its end$/);
    assert.match(stepText({ times, stepMs: day, to: times[0]!, each: "mean" }, 0, "stack"), /Nov 16, mean$/);
    assert.equal(stepText({ times, stepMs: day, to: times[0]! }, -1, "bars"), "");
  });
});
