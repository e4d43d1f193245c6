import assert from "node:assert/strict";
import { it } from "node:test";
import { nodesFound } from "./find-node.ts";

it("finds first the node of this name, then the nodes of this rack, then names that have it", () => {
  const nodes = [
    { name: "h100-10", rack: "r1" },
    { name: "h100-1", rack: "r1" },
    { name: "r1", rack: "r2" },
    { name: "a-r1", rack: "r2" },
  ];
  assert.deepEqual(nodesFound(nodes, " h100-1 "), ["h100-1", "h100-10"]);
  assert.deepEqual(nodesFound(nodes, "r1"), ["r1", "h100-10", "h100-1", "a-r1"]);
  assert.deepEqual(nodesFound(nodes, "nothing"), []);
  assert.deepEqual(nodesFound(nodes, " "), []);
});
