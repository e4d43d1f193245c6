import assert from "node:assert/strict";
import { it } from "node:test";
import { NodeIndex } from "./node-index.ts";

it("finds the lowest node with enough cores and memory, whatever the order of insertion", () => {
  const index = new NodeIndex();
  index.set(70_000, 8, 8);
  index.set(3, 4, 16);
  index.set(31, 16, 4);
  index.set(32, 8, 8);
  index.set(5_000, 0, 0);
  const walk = (cpus?: number, memory?: number) => {
    const walked: number[] = [];
    for (let node = index.next(0, cpus, memory); node >= 0; node = index.next(node + 1, cpus, memory))
      walked.push(node);
    return walked;
  };
  assert.deepEqual(walk(), [3, 31, 32, 5_000, 70_000]);
  // 3 has the memory and 31 the cores, but neither has both.
  assert.deepEqual(walk(8, 8), [32, 70_000]);
  assert.equal(index.next(70_001), -1);
  index.set(31, 16, 8);
  index.delete(32);
  index.delete(7);
  assert.deepEqual(walk(8, 8), [31, 70_000]);
  assert.equal(index.size, 4);
  assert.equal(new NodeIndex().next(0), -1);
});
