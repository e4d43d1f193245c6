import assert from "node:assert/strict";
import { it } from "node:test";
import { reclaimPoints } from "./plan.ts";
import { soak } from "./soak.ts";

it("loses and doubles nothing when the server is killed under load and restarted", { timeout: 600_000 }, async () => {
  const said: string[] = [];
  const report = await soak({ cycles: 2, seed: 4, say: (text) => said.push(text) });
  assert.deepEqual(report.faults, []);
  assert.equal(report.verified, true);
  const { lost, duplicated, ranTwice, gpuOverlaps, exitCodesLost, unbalancedMs } = report;
  assert.deepEqual([lost, duplicated, ranTwice, gpuOverlaps, exitCodesLost, unbalancedMs], [0, 0, 0, 0, 0, 0]);
  assert.ok(report.acknowledged >= 200, `${report.acknowledged} acknowledged`);
  assert.ok(report.ran > 0);
  assert.ok(report.taken > 0);
  for (const point of reclaimPoints) assert.ok(report.killPoints[point]! > 0, point);
  assert.ok(said.length >= 2 + reclaimPoints.length);
});
