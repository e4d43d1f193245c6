import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "../model/units.ts";
import { smallerShape } from "./smaller-shape.ts";

describe("the smaller shape that would do", () => {
  const h100 = { model: "H100", memoryMiB: 81_559, gpus: 1, memoryPeakMiB: 11 * 1024, activity: 1_000 };

  it("is a MIG profile with the memory and the compute that were used, and some memory to spare", () => {
    assert.deepEqual(smallerShape(h100), { gpus: "H100:1g.20gb", units: unitsPerGpu / 7 });
    assert.equal(smallerShape({ ...h100, activity: 2_000 })?.gpus, "H100:2g.20gb");
    assert.equal(smallerShape({ ...h100, memoryPeakMiB: 19_000 })?.gpus, "H100:3g.40gb");
  });

  it("is fewer GPUs for a member with several", () => {
    assert.deepEqual(smallerShape({ ...h100, gpus: 8 }), { gpus: "H100:2", units: 2 * unitsPerGpu });
    assert.equal(smallerShape({ ...h100, gpus: 8, activity: 6_000 })?.gpus, "H100:5");
  });

  it("is none for what is busy or full, and for one GPU of a model without MIG", () => {
    assert.equal(smallerShape({ ...h100, activity: 9_000 }), undefined);
    assert.equal(smallerShape({ ...h100, gpus: 8, memoryPeakMiB: 80_000 }), undefined);
    assert.equal(smallerShape({ ...h100, model: "L4", memoryMiB: 23_034 }), undefined);
  });
});
