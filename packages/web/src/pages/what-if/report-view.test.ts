import assert from "node:assert/strict";
import { it } from "node:test";
import type { WhatIfReport } from "@tessera/wire";
import { csvRows, measures, rowsOf } from "./report-view.ts";

const figures = (waitMsP50: number, evictions: number) => ({
  ...{ jobs: 4, started: 4, waitMsMean: 10, waitMsP50, waitMsP90: 3 * waitMsP50, evictions },
  ...{ lostGpuMs: 0, heldGpuMs: 7_200_000 },
});
const report: WhatIfReport = {
  ...{ from: "2026-11-01T00:00:00.000Z", to: "2026-11-08T00:00:00.000Z", currency: "EUR" },
  fleet: { asItWas: { ...figures(5, 1), utilization: 0.5 }, changed: { ...figures(2, 0), utilization: 0.75 } },
  accounts: [
    { account: "idle", asItWas: figures(0, 0), changed: figures(0, 0) },
    { account: "lab", asItWas: figures(5, 1), changed: figures(9, 0) },
    { account: "studio", asItWas: figures(20, 0), changed: figures(1, 0) },
  ],
  ...{ recorded: figures(5, 1), endUnknown: 0, differences: 0, refused: [], jobs: [] },
};

it("what would have been is drawn for the teams that it concerns, the largest first", () => {
  const [p50, , preemptions, held] = measures;
  assert.deepEqual(rowsOf(report, p50!), [
    { label: "studio", before: 20, after: 1 },
    { label: "lab", before: 5, after: 9 },
  ]);
  assert.deepEqual(rowsOf(report, preemptions!), [{ label: "lab", before: 1, after: 0 }]);
  assert.equal(rowsOf(report, held!)[0]!.before, 2);
  assert.equal(csvRows(report).length, 8);
});
