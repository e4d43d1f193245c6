import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanBlock } from "@tessera/wire";
import { isBlock, layOut } from "./layout.ts";

const at = (hour: number) => new Date(hour * 3_600_000).toISOString();
const block = (kind: PlanBlock["kind"], name: string, gpus: number, from: number, until?: number): PlanBlock => ({
  ...{ kind, whose: "job", name, gpus, from: at(from) },
  ...(until !== undefined && { until: at(until) }),
});
const laid = (blocks: PlanBlock[], closed: Parameters<typeof layOut>[0]["closed"] = []) => {
  const { rects, top } = layOut({ at: at(0), until: at(10), gpus: 16, blocks, closed });
  const hours = (ms: number) => ms / 3_600_000;
  return {
    top,
    rects: rects.map(({ of, from, to, low, gpus }) => [
      isBlock(of) ? of.name : of.why,
      hours(from),
      hours(to),
      low,
      gpus,
    ]),
  };
};

describe("the picture of a plan", () => {
  it("has what runs longest at the bottom, and planned starts where GPUs become free", () => {
    const { rects, top } = laid([
      block("running", "short", 4, 0, 1),
      block("running", "endless", 2, 0),
      block("running", "long", 8, 0, 3),
      block("planned", "wide", 14, 3, 5),
    ]);
    assert.deepEqual(rects, [
      ["endless", 0, 10, 0, 2],
      ["long", 0, 3, 2, 8],
      ["short", 0, 1, 10, 4],
      ["wide", 3, 5, 2, 14],
    ]);
    assert.equal(top, 16);
  });

  it("cuts a block in two where no gap is high enough, and never draws two at the same place", () => {
    const { rects } = laid(
      [block("planned", "low", 4, 0, 10), block("planned", "mid", 4, 2, 4), block("planned", "late", 10, 3, 6)],
      [{ why: "maintenance", nodes: 1, gpus: 2, from: at(2), until: at(20) }],
    );
    assert.deepEqual(rects[0], ["maintenance", 2, 10, 14, 2]);
    const late = rects.filter(([name]) => name === "late");
    assert.equal(
      late.reduce((sum, [, , , , gpus]) => sum + Number(gpus), 0),
      10,
    );
    for (const [i, a] of rects.entries())
      for (const b of rects.slice(i + 1)) {
        const [aFrom, aTo, aLow, aGpus] = a.slice(1).map(Number) as [number, number, number, number];
        const [bFrom, bTo, bLow, bGpus] = b.slice(1).map(Number) as [number, number, number, number];
        const apart = aTo <= bFrom || bTo <= aFrom || aLow + aGpus <= bLow || bLow + bGpus <= aLow;
        assert.ok(apart, `${a} and ${b}`);
      }
  });
});
