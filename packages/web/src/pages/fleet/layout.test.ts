import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { layOut, neighbour, nodeAt } from "./layout.ts";

function fleet(count: number): FleetNodeShape[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `n${i}`,
    zone: `z${Math.floor(i / 3200)}`,
    block: `b${Math.floor(i / 64)}`,
    rack: `r${Math.floor(i / 4)}`,
    nvlink: `n${i}`,
    model: "H100",
    mode: "up",
    cells: "........",
  }));
}

describe("the map's layout", () => {
  it("gives every node of 50,000 GPUs a place of its own", () => {
    const layout = layOut(fleet(6250), 1.6);
    const seen = new Set(layout.nodes.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`));
    assert.equal(seen.size, 6250);
    assert.equal(layout.zones.length, 2);
    for (const { x, y, w, h } of layout.nodes)
      assert.ok(x >= 0 && y >= 0 && x + w <= layout.width && y + h <= layout.height);
  });

  it("draws each of several engines in a box of its own, also where their zones have one name", () => {
    const nodes = fleet(8).map((node, i) => ({ ...node, engine: i < 4 ? "east" : "west" }));
    const layout = layOut(nodes, 1.6);
    assert.deepEqual(
      [layout.engines, layout.zones].map((boxes) => boxes.map(({ name }) => name)),
      [
        ["east", "west"],
        ["z0", "z0"],
      ],
    );
    for (const [i, { x, y, w, h }] of layout.nodes.entries()) {
      const box = layout.engines[i < 4 ? 0 : 1]!;
      assert.ok(x >= box.x && y >= box.y && x + w <= box.x + box.w && y + h <= box.y + box.h);
    }
    assert.deepEqual(layOut(fleet(8), 1.6).engines, []);
  });

  it("finds the node under a point, and none between", () => {
    const layout = layOut(fleet(64), 1.6);
    const { x, y } = layout.nodes[17]!;
    assert.equal(nodeAt(layout, x + 0.5, y + 0.5), 17);
    assert.equal(nodeAt(layout, -1, -1), undefined);
  });

  it("moves to the next node below in the same rack, and to the next rack", () => {
    const layout = layOut(fleet(64), 1.6);
    assert.equal(neighbour(layout, 0, 0, 1), 1);
    assert.equal(neighbour(layout, 0, 1, 0), 4);
    assert.equal(neighbour(layout, 0, 0, -1), 0);
  });
});
