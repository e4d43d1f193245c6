import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coarseStep, moved, queryOf, readRange, writeRange, zoomed } from "./range.ts";

describe("the range of a page", () => {
  const hour = 3_600_000;
  const at = Date.UTC(2026, 0, 5);

  it("is in the address, and what cannot be read there is the usual one", () => {
    for (const range of [{ name: "7d" } as const, { from: at, to: at + hour }])
      assert.deepEqual(readRange(writeRange(range), "1d"), range);
    for (const text of [null, "", "2d", "x~y", writeRange({ from: at, to: at }), writeRange({ from: 0, to: at })])
      assert.deepEqual(readRange(text, "1d"), { name: "1d" });
  });

  it("is asked for up to now, or between two instants, and the period before it", () => {
    assert.deepEqual(queryOf({ name: "1h" }), { from: "60m" });
    assert.deepEqual(queryOf({ name: "1h" }, true), { from: "120m", to: "60m" });
    const chosen = { from: at, to: at + hour };
    assert.deepEqual(queryOf(chosen, true), { from: "2026-01-04T23:00:00.000Z", to: "2026-01-05T00:00:00.000Z" });
  });

  it("has about thirty steps for what is counted", () => {
    assert.deepEqual(
      (["1h", "6h", "1d", "7d", "30d", "90d"] as const).map((name) => coarseStep({ name })),
      ["5m", "15m", "60m", "360m", "1440m", "4320m"],
    );
  });

  it("is chosen by dragging, in whole minutes and not shorter than five", () => {
    assert.deepEqual(zoomed(at + 1, at + hour - 1), { from: at, to: at + hour });
    assert.deepEqual(zoomed(at, at + 60_000), { from: at, to: at + 300_000 });
    assert.equal(zoomed(at, at + 1_000), undefined);
  });

  it("moves by half its length, and is up to now again where it would reach beyond", () => {
    const before = moved({ name: "1h" }, -1, at);
    assert.deepEqual(before, { from: at - 1.5 * hour, to: at - hour / 2 });
    assert.deepEqual(moved(before, 1, at), { name: "1h" });
  });
});
