import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetActivity, FleetNodeShape } from "@tessera/wire";
import { legendOf, wordsBy } from "./colours.ts";

const node: FleetNodeShape = {
  ...{ name: "n1", zone: "z", block: "b", rack: "r", nvlink: "n1", model: "H100", mode: "up" },
  cells: "g.xb",
};
const measured = (whole: boolean, values: (number | null)[], metric: FleetActivity["metric"] = "activity") => ({
  ...{ at: "2026-01-01T00:00:00Z", metric, unit: "%", whole, nodes: { n1: values } },
});

describe("the map coloured by a measure", () => {
  it("tells 0 from what was not measured", () => {
    const words = wordsBy("activity", measured(true, [0, null, 80, 5]));
    assert.deepEqual(
      [0, 1, 2, 3].map((gpu) => words(node, gpu)),
      ["below 5 %", "not measured", "80 % and more", "5 to 20 %"],
    );
    assert.equal(wordsBy("activity", undefined)(node, 0), "not measured");
  });

  it("shows a team which GPUs are not its own, and never a value of another metric", () => {
    const words = wordsBy("activity", measured(false, [50, null, null, null]));
    assert.deepEqual(
      [0, 1, 2, 3].map((gpu) => words(node, gpu)),
      ["40 to 60 %", "not leased", "other tenants", "not measured"],
    );
    assert.equal(wordsBy("power", measured(true, [50, 50, 50, 50]))(node, 0), "not measured");
  });

  it("orders its legend by value, with what was not measured at the end", () => {
    const words = wordsBy("power", measured(true, [701, null, 150, 150], "power"));
    assert.deepEqual(legendOf([node], "power", words), [
      { word: "100 to 200 W", gpus: 2 },
      { word: "700 W and more", gpus: 1 },
      { word: "not measured", gpus: 1 },
    ]);
  });
});
