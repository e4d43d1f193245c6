import assert from "node:assert/strict";
import { it } from "node:test";
import { Pace } from "./pace.ts";

const mebibyte = 2 ** 20;

it("takes a burst at once and a flood at 2 MiB a second", () => {
  const pace = new Pace(0);
  assert.equal(pace.take(32 * mebibyte, 0), 0);
  assert.equal(pace.take(2 * mebibyte, 0), 1_000);
  assert.equal(pace.take(0, 1_000), 0);
  let now = 1_000;
  let taken = 0;
  while (now < 11_000) {
    taken += mebibyte;
    now += pace.take(mebibyte, now);
  }
  assert.ok(Math.abs(taken - 20 * mebibyte) <= mebibyte, String(taken / mebibyte));
  assert.equal(pace.take(32 * mebibyte, now + 60_000), 0, "a rest allows another burst, and no more");
  assert.ok(pace.take(mebibyte, now + 60_000) > 0);
});
