import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileOf, partsOf, presentClasses, unitMsOf, wastedMicros } from "./classes.ts";

const part = (unitMs: number, micros: number) => ({ unitMs: String(unitMs), micros: String(micros) });
const total = {
  unitMs: "3",
  micros: "30",
  classes: { busy: part(1, 10), unallocated_idle: part(1, 10), allocated_unmeasured: part(1, 10), setup: part(0, 0) },
};

describe("the classes of waste", () => {
  it("fill their bar, whatever is rounded", () => {
    const parts = partsOf(total);
    assert.deepEqual(
      parts.map(({ name }) => name),
      ["busy", "allocated_unmeasured", "unallocated_idle"],
    );
    const last = parts.at(-1)!;
    assert.equal(last.left + last.width, 100);
    for (const [i, { left, width }] of parts.entries())
      if (i > 0) assert.equal(left, parts[i - 1]!.left + parts[i - 1]!.width, `${width}`);
    assert.deepEqual(partsOf({ unitMs: "0", micros: "0", classes: {} }), []);
  });

  it("are a file with a row for each line, whole numbers and all classes", () => {
    const row = { key: "", gpuHours: "0", ...total };
    const [first] = fileOf({ rows: [row], by: "account", currency: "EUR" });
    assert.deepEqual([first!.account, first!["busy (unit-ms)"], first!["down (micros EUR)"]], ["no lease", "1", "0"]);
  });

  it("count as wasted neither what was busy nor what was not measured", () => {
    assert.equal(wastedMicros(total), "10");
    assert.equal(unitMsOf(total, "busy", "allocated_idle", "unallocated_idle"), "2");
    assert.deepEqual(presentClasses({ unitMs: "0", micros: "0", classes: {} }), []);
  });
});
