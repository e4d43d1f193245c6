import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { parseStorage } from "./storage.ts";

it("reads sizes of shm and scratch, and counts shm in memory", () => {
  assert.deepEqual(parseStorage({ shm: "16GiB", scratch: "1TiB" }, 0), { shmMiB: 16_384, scratchMiB: 1_048_576 });
  assert.deepEqual(parseStorage({}, 0), {});
  const tooLarge = parseStorage({ shm: "16GiB" }, 8_192);
  assert.ok(isRefusal(tooLarge));
  assert.equal(tooLarge.field, "shm");
  assert.match(tooLarge.detail, /more than its memory of 8GiB/);
  for (const field of ["shm", "scratch"]) {
    const none = parseStorage({ [field]: "0MiB" }, 0);
    assert.ok(isRefusal(none));
    assert.equal(none.field, field);
  }
});
