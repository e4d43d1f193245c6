import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobNo } from "../model/ids.ts";
import { diceOf } from "../testing/dice.ts";
import { ByNumber } from "./by-number.ts";

describe("values by number", () => {
  it("match a map after random changes, and are listed by number", () => {
    const values = new ByNumber<JobNo, string>();
    const map = new Map<number, string>();
    const roll = diceOf(3);
    for (let step = 0; step < 3_000; step++) {
      const no = roll(500);
      if (step % 3 === 0) {
        values.delete(no as JobNo);
        map.delete(no);
      } else {
        values.set(no as JobNo, `${step}`);
        map.set(no, `${step}`);
      }
      assert.equal(values.size, map.size);
      assert.equal(values.get(no as JobNo), map.get(no));
      assert.equal(values.has(no as JobNo), map.has(no));
    }
    const byNo = [...map].sort(([a], [b]) => a - b).map(([, value]) => value);
    assert.deepEqual([...values.values()], byNo);
    assert.equal(values.get(1_000_000 as JobNo), undefined);
  });

  it("refuse a negative number", () => {
    assert.throws(() => new ByNumber<JobNo, string>().set(-1 as JobNo, "x"), /-1 is not a number given out/);
  });
});
