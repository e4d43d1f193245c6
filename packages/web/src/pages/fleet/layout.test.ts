import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { gpuAt, gpuUnder, layOut, neighbour, nodeAt } from "./layout.ts";

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

  it("draws a small fleet larger in a wide window than racks as columns would be, and racks as columns in a high one", () => {
    const racks = (aspect: number) => {
      const { racks, width, height } = layOut(fleet(4), aspect);
      return { tall: racks[0]!.h > racks[0]!.w, size: Math.min(aspect / width, 1 / height) };
    };
    assert.equal(racks(0.5).tall, true);
    assert.equal(racks(2.6).tall, false);
    assert.ok(racks(2.6).size > 0.08, "a GPU has a twelfth of the height");
  });

  it("leaves out the block where there is one only, so that two nodes are no smaller than their labels", () => {
    const small = layOut(fleet(2), 2.4);
    assert.deepEqual([small.blocks, small.zones.length], [[], 1]);
    const [zone] = small.zones;
    const top = Math.min(...small.nodes.map(({ y }) => y));
    assert.ok(top - zone!.y < 4, `${top - zone!.y} rows of labels above the first node`);
    assert.equal(layOut(fleet(128), 2.4).blocks.length, 2);
    const engines = fleet(4).map((node, no) => ({ ...node, engine: no < 2 ? "east" : "west" }));
    assert.equal(layOut(engines, 2.4).blocks.length, 2, "blocks of two engines are two");
  });

  it("finds the GPU under a point, and none where the last row of a node ends", () => {
    const node = { x: 10, y: 20, w: 2, h: 2 };
    for (let gpu = 0; gpu < 3; gpu++) {
      const { x, y } = gpuAt(node, 3, gpu);
      assert.equal(gpuUnder(node, 3, x + 0.5, y + 0.5), gpu);
    }
    assert.equal(gpuUnder(node, 3, 11.5, 21.5), undefined);
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
