import assert from "node:assert/strict";
import { it } from "node:test";
import { afterScrub, handover, needsScrub, nobody } from "./scrub.ts";

it("[S4] a device passes to another tenant only after a scrub, and stays with its own without one", () => {
  assert.equal(needsScrub(1, 2), true);
  assert.equal(needsScrub(1, 1), false);
  assert.equal(needsScrub(nobody, 2), false);
});

it("[S4] a device is given only when it is clean or was its taker's own", () => {
  assert.equal(handover("clean", 1, 2), "yes");
  assert.equal(handover("used", 1, 1), "yes");
  assert.equal(handover("used", 1, 2), "scrub");
  assert.equal(handover("scrubbing", 1, 1), "no");
  assert.equal(handover("quarantined", 1, 1), "no");
});

it("[S4] a scrub that failed puts the device aside", () => {
  assert.equal(afterScrub(true), "clean");
  assert.equal(handover(afterScrub(false), 1, 2), "no");
});
