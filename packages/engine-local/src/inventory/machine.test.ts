import assert from "node:assert/strict";
import { it } from "node:test";
import { bootId } from "@tessera/engine";
import { describeFleet } from "./machine.ts";
import { parseVirtual } from "./virtual.ts";

it("presents this machine as the virtual nodes that were asked for, and says that they are", () => {
  const nodes = describeFleet([], { virtual: "2x8:H100@r1, 1x4:L40S" });
  assert.deepEqual(
    nodes.map(({ name, place, gpus, virtual }) => ({
      name,
      rack: place.rack,
      gpus: gpus.length,
      model: gpus[0]?.model,
      virtual,
    })),
    [
      { name: "virtual-0", rack: "r1", gpus: 8, model: "H100", virtual: true },
      { name: "virtual-1", rack: "r1", gpus: 8, model: "H100", virtual: true },
      { name: "virtual-2", rack: "local", gpus: 4, model: "L40S", virtual: true },
    ],
  );
  assert.equal(nodes[0]?.gpus[0]?.memoryMiB, 81_559);
  assert.equal(nodes[2]?.gpus[3]?.memoryMiB, 46_068);
  const shared = describeFleet([], { virtual: "1x8:H100@r1+mig,1x8:H100+timeslice,1x8:H100" });
  assert.deepEqual(
    shared.map(({ place, pool }) => [place.rack, pool]),
    [
      ["r1", "mig"],
      ["local", "timeslice"],
      ["local", undefined],
    ],
  );
  const [whole] = describeFleet([], {});
  assert.ok(nodes.reduce((sum, node) => sum + node.cpusMilli, 0) <= whole!.cpusMilli, "CPUs are split, not multiplied");
  assert.ok(nodes.reduce((sum, node) => sum + node.memoryMiB, 0) <= whole!.memoryMiB);
});

it("without a GPU is one node with four virtual ones; with some is one node with these", () => {
  const [virtual] = describeFleet([], { nodeName: "desk" });
  assert.deepEqual([virtual!.name, virtual!.virtual, virtual!.gpus.length], ["desk", true, 4]);
  assert.deepEqual(virtual!.gpus[0], { uuid: "GPU-virtual-desk-0", model: "virtual", memoryMiB: 16_384 });
  const found = { uuid: "GPU-1", model: "H200", memoryMiB: 143_771, pci: "00000000:3B:00.0", device: "/dev/nvidia0" };
  const [real] = describeFleet([found], { nodeName: "desk" });
  assert.deepEqual(real!.gpus, [{ uuid: "GPU-1", model: "H200", memoryMiB: 143_771 }]);
  assert.equal(real!.virtual, false);
  assert.equal(real!.bootId, bootId());
});

it("says what is wrong with a description of virtual GPUs", () => {
  for (const wrong of ["", "H100", "4x8", "x8:H100", "4x8:", "4x8:H100@", "4x8:H100,", "-1x8:H100", "4x8:H 100"]) {
    assert.throws(() => parseVirtual(wrong), /is not NODESxGPUS:MODEL/, JSON.stringify(wrong));
  }
  assert.throws(() => parseVirtual("1x8:H100+vgpu"), /"\+vgpu" is not a way to share GPUs; write \+mig, \+mps/);
  assert.throws(() => parseVirtual("0x8:H100"), /needs at least one node/);
  assert.throws(() => parseVirtual("9999999x8:H100"), /more than the 65536 allowed/);
});
