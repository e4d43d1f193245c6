import assert from "node:assert/strict";
import { it } from "node:test";
import { NodeSet } from "./node-set.ts";

it("iterates over a set of nodes from the lowest, whatever the order of insertion", () => {
  const set = new NodeSet();
  const nodes = [70_000, 3, 31, 32, 1023, 1024, 5_000, 40_000];
  for (const node of nodes) set.add(node);
  for (const node of [31, 40_000, 7]) set.delete(node);
  set.add(3);
  const walked: number[] = [];
  for (let node = set.next(0); node >= 0; node = set.next(node + 1)) walked.push(node);
  assert.deepEqual(walked, [3, 32, 1023, 1024, 5_000, 70_000]);
  assert.equal(set.size, 6);
  assert.equal(set.next(70_001), -1);
  assert.equal(new NodeSet().next(0), -1);
});
