import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesView } from "@tessera/wire";
import { columnsOf, isEmpty, isSimulated, newestStep, strokeOf, valueText } from "./lines.ts";

const view: SeriesView = {
  metric: "activity",
  unit: "%",
  by: "rank",
  from: 0,
  to: 30_000,
  stepMs: 10_000,
  times: [0, 10_000, 20_000],
  series: [
    { key: "0", label: "rank 0", values: [50, null, null] },
    { key: "1", label: "rank 1", values: [0, 99.999, null], simulated: true },
  ],
  leftOut: 0,
};

describe("the lines of a chart", () => {
  it("have times in seconds, and gaps where nothing was measured", () => {
    assert.deepEqual(columnsOf(view), [
      [0, 10, 20],
      [50, null, null],
      [0, 99.999, null],
    ]);
  });

  it("tell 0 from what was not measured", () => {
    const [first, second] = view.series;
    assert.equal(valueText(second!, 0, "%"), "0 %");
    assert.equal(valueText(second!, 1, "%"), "100 %");
    assert.equal(valueText(first!, 1, "%"), "not measured");
    assert.equal(valueText(first!, 7, "%"), "not measured");
    assert.equal(newestStep(view), 1);
    assert.equal(isEmpty(view), false);
    assert.equal(isSimulated(view), true);
    const nothing = { ...view, series: [{ key: "", label: "all", values: [null, null, null] }] };
    assert.equal(isEmpty(nothing), true);
    assert.equal(newestStep(nothing), -1);
  });

  it("differ by colour or dash, however many there are", () => {
    const drawn = Array.from({ length: 32 }, (_, place) => JSON.stringify(strokeOf(place)));
    assert.equal(new Set(drawn).size, 32);
  });
});
