import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeNo } from "../model/ids.ts";
import { membersBeside, type SpareOn, takeSpare } from "./spare.ts";

const node = 0 as NodeNo;
const plenty = Number.POSITIVE_INFINITY;

describe("spare room beside a plan", () => {
  it("holds as many members as its scarcest resource allows", () => {
    const spare = { gpus: 5, cpusMilli: 9_000, memoryMiB: 1_000 };
    assert.equal(membersBeside(spare, { gpus: 2, cpusMilli: 0, memoryMiB: 0 }, 8), 2);
    assert.equal(membersBeside(spare, { gpus: 1, cpusMilli: 3_000, memoryMiB: 0 }, 8), 3);
    assert.equal(membersBeside(spare, { gpus: 1, cpusMilli: 3_000, memoryMiB: 600 }, 8), 1);
    assert.equal(membersBeside(spare, { gpus: 1, cpusMilli: 0, memoryMiB: 0 }, 3), 3);
  });

  it("holds no member, not fewer, once more has been taken than was there", () => {
    const spare = { gpus: -1, cpusMilli: plenty, memoryMiB: plenty };
    assert.equal(membersBeside(spare, { gpus: 1, cpusMilli: 1_000, memoryMiB: 1 }, 4), 0);
  });

  it("shrinks by what is taken and grows by what is given back, on nodes of the plan only", () => {
    const on: SpareOn = new Map([[node, { gpus: 4, cpusMilli: plenty, memoryMiB: 100 }]]);
    const amount = { gpus: 3, cpusMilli: 1_000, memoryMiB: 40 };
    takeSpare(on, node, amount);
    assert.deepEqual(on.get(node), { gpus: 1, cpusMilli: plenty, memoryMiB: 60 });
    takeSpare(on, node, amount, -1);
    assert.deepEqual(on.get(node), { gpus: 4, cpusMilli: plenty, memoryMiB: 100 });
    takeSpare(on, 1 as NodeNo, amount);
    assert.equal(on.size, 1);
  });
});
