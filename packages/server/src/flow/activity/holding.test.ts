import assert from "node:assert/strict";
import { it } from "node:test";
import { unitsPerGpu } from "@tessera/core";
import { ownMetrics } from "./holding.ts";

const metrics = { smActive: 9_000, memoryUsedMiB: 70_000, powerMilliwatts: 600_000, temperatureCelsius: 70 };

it("gives a lease all of a sample where it holds the whole GPU", () => {
  assert.deepEqual(ownMetrics({ metrics }, unitsPerGpu), metrics);
});

it("[S23] gives the holder of a share nothing of what was measured of the whole GPU: others work on it too", () => {
  assert.equal(ownMetrics({ metrics }, unitsPerGpu / 2), undefined);
  assert.deepEqual(ownMetrics({ metrics, apart: true }, unitsPerGpu / 2), { memoryUsedMiB: 70_000 });
});

it("[S23] gives the holder of an instance its work and memory, not the power of the GPU", () => {
  const own = { smActive: 9_000, memoryUsedMiB: 70_000 };
  assert.deepEqual(ownMetrics({ metrics, instance: "MIG-1" }, unitsPerGpu / 7), own);
  assert.deepEqual(ownMetrics({ metrics: { powerMilliwatts: 1 }, instance: "MIG-1" }, unitsPerGpu / 7), {});
});
