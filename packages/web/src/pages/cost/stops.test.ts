import assert from "node:assert/strict";
import { it } from "node:test";
import { readAlerts, writeAlerts } from "./stops.ts";

it("alerts of a budget are read as they are written", () => {
  assert.deepEqual(readAlerts("50, 80 92.5%"), [500, 800, 925]);
  assert.deepEqual(readAlerts("92,5"), [925]);
  assert.deepEqual(readAlerts("50,80,90"), [500, 800, 900]);
  assert.equal(writeAlerts([500, 925], "en"), "50, 92.5");
  for (const text of ["50, 87,5, 95", "50; 87,5; 95", "50,0 87,5 95%", writeAlerts([500, 875, 950], "de")])
    assert.deepEqual(readAlerts(text), [500, 875, 950], text);
  assert.equal(writeAlerts([500, 875, 950], "de"), "50; 87,5; 95");
  for (const unclear of ["87,5,95", "50,87,5", "5,8,9"]) assert.equal(readAlerts(unclear), undefined, unclear);
  assert.deepEqual(readAlerts(""), []);
  for (const wrong of ["0", "101", "x", "1,2,3,4,5,6,7,8,9,10,11"]) assert.equal(readAlerts(wrong), undefined, wrong);
});
