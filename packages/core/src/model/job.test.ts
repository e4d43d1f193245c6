import assert from "node:assert/strict";
import { it } from "node:test";
import { shieldedUntil } from "./job.ts";
import { hour } from "./units.ts";

it("[T8] three evictions within an hour shield a job for an hour after the third", () => {
  const start = 1_000_000;
  assert.equal(shieldedUntil({ evictedAt: [start, start + 1] }), 0);
  assert.equal(shieldedUntil({ evictedAt: [start, start + 1, start + hour] }), start + 2 * hour);
  assert.equal(shieldedUntil({ evictedAt: [start, start + 1, start + hour + 1] }), 0);
});
