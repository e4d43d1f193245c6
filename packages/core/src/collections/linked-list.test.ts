import assert from "node:assert/strict";
import { it } from "node:test";
import { LinkedList, listNode } from "./linked-list.ts";

it("keeps entries in order of arrival, each once, after deletions at both ends and in the middle", () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((entry) => listNode(entry));
  for (const node of [a!, b!, b!, c!, d!]) list.add(node);
  assert.deepEqual([...list], ["a", "b", "c", "d"]);
  list.delete(b!);
  list.delete(a!);
  list.delete(d!);
  list.delete(d!);
  assert.deepEqual([[...list], list.first, list.size], [["c"], "c", 1]);
  list.add(a!);
  assert.deepEqual([...list], ["c", "a"]);
  list.delete(c!);
  list.delete(a!);
  assert.deepEqual([[...list], list.first, list.size], [[], undefined, 0]);
});
