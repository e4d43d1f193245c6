import assert from "node:assert/strict";
import { it } from "node:test";
import { isolationOf } from "./isolation.ts";

const found = (model: string, memoryMiB: number) => [{ model, memoryMiB }];
const root = { isRoot: true, means: "unshare" } as const;

it("GPUs are shared in the ways that the machine can hold", () => {
  const h200 = found("H200", 143_771);
  assert.deepEqual(isolationOf(h200, root, true), ["whole", "mig", "mps", "timeslice"]);
  assert.deepEqual(isolationOf(h200, root, false), ["whole", "mig", "timeslice"]);
  assert.deepEqual(isolationOf(h200, { ...root, means: "user" }, true), ["whole", "mig", "timeslice"]);
  assert.deepEqual(isolationOf(h200, { isRoot: false, means: "bwrap" }, true), ["whole", "mps", "timeslice"]);
  assert.deepEqual(isolationOf(found("L40S", 46_068), root, false), ["whole", "timeslice"]);
  assert.deepEqual(isolationOf([], root, true), ["whole"]);
});
