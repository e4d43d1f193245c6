import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesView } from "@tessera/wire";
import { heatOf, heatStep, heatStepOf, spreadOf } from "./heat.ts";

const view = (unit: string, values: Record<string, (number | null)[]>): SeriesView => ({
  ...{ metric: "power", unit, by: "rank", from: 0, to: 2, stepMs: 1, times: [0, 1], leftOut: 0 },
  series: Object.entries(values).map(([key, each]) => ({ key, label: `rank ${key}`, values: each })),
});

describe("a heat strip", () => {
  it("has a row for each rank in the order of their numbers", () => {
    const heat = heatOf(view("W", { "10": [1, 2], "9": [700, null], "2": [3, 4] }));
    assert.deepEqual(
      heat.rows.map(({ key }) => key),
      ["2", "9", "10"],
    );
    assert.equal(heat.most, 700);
    assert.equal(heatOf(view("%", { "0": [1, 2] })).most, 100);
  });

  it("tells nothing measured from 0", () => {
    assert.deepEqual(
      [heatStep(null, 100), heatStep(0, 100), heatStep(99.9, 100), heatStep(100, 100)],
      [undefined, 0, 5, 5],
    );
    assert.equal(spreadOf([null, null]), undefined);
    assert.deepEqual(spreadOf([0, null, 10]), { least: 0, mean: 5, most: 10 });
  });

  it("has at most 120 columns, of a minute and of a year", () => {
    for (const spanMs of [60_000, 3_600_000, 86_400_000, 90 * 86_400_000, 365 * 86_400_000]) {
      const step = heatStepOf(spanMs);
      assert.ok(spanMs / (Number.parseInt(step, 10) * 1_000) <= 120, step);
    }
    assert.equal(heatStepOf(1_000), "10s");
  });
});
