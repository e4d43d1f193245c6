import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "./clock.ts";
import { seededRandom } from "./random.ts";

describe("simulated clock", () => {
  it("runs acts at their own instants, those of one instant in the order they were asked for", () => {
    const clock = new SimulatedClock(100);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
    clock.at(130, note("c"));
    clock.at(110, note("a"));
    clock.at(110, note("b"));
    clock.at(50, note("overdue"));
    clock.at(200, note("later"));
    clock.advanceTo(150);
    assert.deepEqual(seen, ["overdue@100", "a@110", "b@110", "c@130"]);
    assert.equal(clock.now(), 150);
    assert.equal(clock.nextAt(), 200);
  });

  it("runs what an act asks for on the way, and not what was called off", () => {
    const clock = new SimulatedClock();
    const seen: number[] = [];
    const cancel = clock.at(20, () => seen.push(-1));
    clock.at(10, () => {
      cancel();
      clock.at(15, () => seen.push(clock.now()));
      clock.at(10, () => seen.push(clock.now()));
    });
    clock.advanceTo(100);
    assert.deepEqual(seen, [10, 15]);
    assert.equal(clock.nextAt(), undefined);
    assert.equal(clock.step(), false);
  });

  it("keeps the order of ten thousand acts at random instants", () => {
    const clock = new SimulatedClock();
    const random = seededRandom(3);
    const seen: number[] = [];
    for (let i = 0; i < 10_000; i++) clock.at(Math.floor(random() * 1_000), () => seen.push(clock.now()));
    clock.advanceTo(1_000);
    assert.equal(seen.length, 10_000);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
  });
});
