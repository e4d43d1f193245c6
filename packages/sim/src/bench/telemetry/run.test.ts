import assert from "node:assert/strict";
import { it } from "node:test";
import { benchTelemetry } from "./run.ts";

it("the benchmark of samples keeps every sample, and answers about its day", async () => {
  const day = { minutes: 65, nodesIn: 5, queries: 2 };
  const report = await benchTelemetry({
    ...{ gpus: 480, samplesPerSecond: 800, rounds: 1, scheduling: "fill", day, say: () => {} },
  });
  assert.equal(report.beside.rowsDropped + report.day.rowsDropped, 0);
  assert.ok(report.beside.samples > 0 && report.beside.rowsWritten >= report.beside.samples);
  assert.ok(report.day.samples >= (480 / 5) * 65);
  for (const { values } of Object.values(report.day.took)) assert.ok(values > 0);
});
