import assert from "node:assert/strict";
import { it } from "node:test";
import { bridged } from "./gaps.ts";

it("a line goes on between samples that come less often than steps, and stops where some are missing", () => {
  const [none, go] = [null, undefined];
  assert.deepEqual(bridged([none, 1, none, 2, none, 3, none, none, none, none, 4, none]), [
    ...[none, 1, go, 2, go, 3, none, none, none, none, 4, none],
  ]);
  assert.deepEqual(bridged([1, 2, none, 3]), [1, 2, none, 3]);
  assert.deepEqual(bridged([none, none]), [none, none]);
});
