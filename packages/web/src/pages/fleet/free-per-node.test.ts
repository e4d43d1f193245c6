import assert from "node:assert/strict";
import { test } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { freePerNode } from "./free-per-node.ts";

test("nodes are counted by their free GPUs, without those that take no work", () => {
  const node = (cells: string, mode: FleetNodeShape["mode"] = "up"): FleetNodeShape => ({
    ...{ name: cells, engine: "e", model: "H100", mode, cells, zone: "z", block: "b", rack: "r", nvlink: "n" },
  });
  const nodes = [node("...."), node("g.g."), node("..gg"), node("gggg"), node("....", "down")];
  assert.deepEqual(freePerNode(nodes), [
    { free: 1, nodes: 0 },
    { free: 2, nodes: 2 },
    { free: 3, nodes: 0 },
    { free: 4, nodes: 1 },
  ]);
  assert.deepEqual(freePerNode([node("gg")]), []);
});
