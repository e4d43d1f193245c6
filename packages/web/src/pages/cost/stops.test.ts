import assert from "node:assert/strict";
import { it } from "node:test";
import { readAlerts, writeAlerts } from "./stops.ts";

it("alerts of a budget are read as they are written", () => {
  assert.deepEqual(readAlerts("50, 80 92.5%"), [500, 800, 925]);
  assert.deepEqual(readAlerts("92,5"), [925]);
  assert.deepEqual(readAlerts("50,80,90"), [500, 800, 900]);
  assert.equal(writeAlerts([500, 925]), "50, 92.5");
  assert.deepEqual(readAlerts(""), []);
  for (const wrong of ["0", "101", "x", "1,2,3,4,5,6,7,8,9,10,11"]) assert.equal(readAlerts(wrong), undefined, wrong);
});
