import assert from "node:assert/strict";
import { it } from "node:test";
import { benchTelemetry } from "./run.ts";

it("the benchmark of samples keeps every sample, and answers about its day", async () => {
  const sizes = { gpus: 480, samplesPerSecond: 800, rounds: 1, dayGpus: 400, dayMinutes: 20, queries: 2 };
  const { beside, day } = await benchTelemetry({ ...sizes, scheduling: "fill", say: () => {} });
  assert.equal(beside.rowsDropped, 0);
  assert.ok(beside.rowsWritten > 0 && beside.withPerSecond.median > 0);
  assert.equal(day.rowsWritten, 400 * 20);
  assert.deepEqual(Object.keys(day.took), ["team", "teamByJob", "fleetByAccount"]);
});
