import assert from "node:assert/strict";
import { it } from "node:test";
import { killPoints, planKills, reclaimPoints } from "./plan.ts";

it("kills at every point at least five times in fifty cycles, in an order that follows from the seed", () => {
  const plan = planKills(50, killPoints, 7);
  const count = (point: string) => plan.filter((each) => each.point === point).length;
  for (const point of [...killPoints, ...reclaimPoints]) assert.ok(count(point) >= 5, point);
  assert.equal(plan.filter(({ first }) => first).length, 50);
  assert.deepEqual(planKills(50, killPoints, 7), plan);
  assert.notDeepEqual(planKills(50, killPoints, 8), plan);
});

it("kills in each phase of a reclaim, however short the soak", () => {
  const plan = planKills(2, killPoints, 7);
  for (const point of reclaimPoints) assert.ok(plan.some((each) => each.point === point && !each.first));
});
