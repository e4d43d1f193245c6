import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alone, bridged, held } from "./gaps.ts";

const [none, go] = [null, undefined];

describe("samples that come less often than steps", () => {
  it("are one line, which stops where some are missing", () => {
    assert.deepEqual(bridged([none, 1, none, 2, none, 3, none, none, none, none, 4, none]), [
      ...[none, 1, go, 2, go, 3, none, none, none, none, 4, none],
    ]);
    assert.deepEqual(bridged([1, 2, none, 3]), [1, 2, none, 3]);
    assert.deepEqual(bridged([none, none]), [none, none]);
  });

  it("are one line also where they are now one, now two steps apart: 15 minutes in steps of ten", () => {
    const line = [1, 2, go, 3, 4, go, 5, 6, none, none, 7, 8];
    const samples = line.map((value) => value ?? none);
    assert.deepEqual(bridged(samples), line);
    assert.deepEqual(bridged([1, 2, 3, 4, none, 5, 6]), [1, 2, 3, 4, none, 5, 6], "one that is missing");
  });

  it("stand until the next one is due", () => {
    assert.deepEqual(held([none, 1, none, 2, none, 3, none, none, none, 4, none, none, none, none]), [
      ...[none, 1, 1, 2, 2, 3, none, none, none, 4, 4, 4, none, none],
    ]);
    assert.deepEqual(held([1, 2, none, 3, 4, none, 5, none]), [1, 2, 2, 3, 4, 4, 5, 5]);
    assert.deepEqual(held([1, none, 2]), [1, none, 2]);
    assert.deepEqual(held([none, none]), [none, none]);
  });

  it("are points where no line leads to them", () => {
    assert.deepEqual(alone([1, none, 2, 3, none, go, 4]), [0, 6]);
    assert.deepEqual(alone([1, go, 2, none, 3, none]), [4]);
    assert.deepEqual(alone([none, go]), []);
  });
});
