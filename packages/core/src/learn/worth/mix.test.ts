import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Mix } from "./mix.ts";
import type { ArrivalShape } from "./shape.ts";

const shape = (cpusMilli: number): ArrivalShape => ({ cpusMilli, gpus: 1, unitsEach: 21_000, models: [] });

describe("the mix of arrivals", () => {
  it("[P4] counts arrivals by shape, and recent ones separately", () => {
    const mix = new Mix();
    for (let i = 0; i < 1000; i++) mix.add(shape(i < 900 ? 1 : 2));
    assert.deepEqual(mix.counts, [900, 100]);
    assert.deepEqual(mix.recent, [500, 100]);
  });

  it("reports a drift if later arrivals differ from earlier ones, and none if they do not", () => {
    const [still, moved] = [new Mix(), new Mix()];
    for (let i = 0; i < 512; i++) {
      still.add(shape((i * 7) % 5));
      moved.add(shape(((i * 7) % 5) + (i < 256 ? 0 : 3)));
    }
    assert.equal(still.drift(), 0);
    assert.equal(moved.drift(), 1);
    assert.equal(new Mix().drift(), 0);
  });

  it("drops the rarest shapes when there are too many, and fades old arrivals", () => {
    const many = new Mix();
    for (let i = 0; i < 3; i++) many.add(shape(0));
    for (let i = 1; i <= 1024; i++) many.add(shape(i));
    assert.deepEqual(many.shapes, [shape(0), shape(1024)]);
    assert.deepEqual(many.counts, [1, 1]);
    assert.deepEqual(many.recent, [0, 1]);
    const long = new Mix();
    for (let i = 0; i < 70_000; i++) long.add(shape(i % 2));
    assert.ok(long.arrivals < 40_000);
  });

  it("[S26] is the same after it was written and read back", () => {
    const mix = new Mix();
    for (let i = 0; i < 1000; i++) mix.add(shape(i % 7));
    const again = Mix.from(JSON.parse(JSON.stringify(mix.record())));
    for (const each of [mix, again]) for (let i = 0; i < 100; i++) each.add(shape(i % 11));
    assert.deepEqual(again.record(), mix.record());
    assert.deepEqual([again.recent, again.arrivals, again.drift()], [mix.recent, mix.arrivals, mix.drift()]);
  });
});
