import assert from "node:assert/strict";
import { it } from "node:test";
import type { SeriesView } from "@tessera/wire";
import { costView } from "./cost-view.ts";

it("the cost of a job goes on from what it had cost before the part that is shown", () => {
  const part: SeriesView = {
    ...{ metric: "spend", unit: "micros", currency: "EUR", by: "none", leftOut: 0 },
    ...{ from: 0, to: 2, stepMs: 1, times: [0, 1] },
    series: [{ key: "", label: "all", values: [1_500_000, 2_000_000] }],
  };
  assert.deepEqual(costView(part, 10_000_000).lines[0]!.values, [11.5, 13.5]);
});
