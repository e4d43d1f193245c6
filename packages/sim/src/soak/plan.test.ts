import assert from "node:assert/strict";
import { it } from "node:test";
import { killPoints, planKills } from "./plan.ts";

it("kills at every point at least five times in fifty cycles, in an order that follows from the seed", () => {
  const plan = planKills(50, killPoints, 7);
  for (const point of killPoints) assert.ok(plan.filter((each) => each === point).length >= 5, point);
  assert.deepEqual(planKills(50, killPoints, 7), plan);
  assert.notDeepEqual(planKills(50, killPoints, 8), plan);
});
