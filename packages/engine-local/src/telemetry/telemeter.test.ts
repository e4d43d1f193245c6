import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import { describeFleet } from "../inventory/machine.ts";
import type { GpuSource, Reading } from "./source.ts";
import { type Holding, Telemeter } from "./telemeter.ts";

const uuids = ["GPU-1", "GPU-2"];
const real = describeFleet(
  uuids.map((uuid, i) => ({
    uuid,
    model: "H200",
    memoryMiB: 143_771,
    pci: `00000000:0${i}:00.0`,
    device: `/dev/nvidia${i}`,
  })),
  { nodeName: "desk" },
);

const holding = (lease: string, more: Partial<Holding>): Holding => ({
  ...{ lease: lease as LeaseId, mark: lease, groups: [], gpuUuids: [] },
  ...more,
});

function source(name: GpuSource["name"], answer: () => Reading): GpuSource & { letGo(): void; open: boolean } {
  return {
    name,
    open: false,
    async read() {
      this.open = true;
      return answer();
    },
    letGo() {
      this.open = false;
    },
  };
}

const idle = (gpuUuid: string, instance?: string) => ({
  ...{ gpuUuid, metrics: { smActive: 0 } },
  ...(instance !== undefined && { instance }),
});

describe("telemetry of a machine", () => {
  it("joins each GPU and each instance with the leases that hold it", async () => {
    const gpus = [idle("GPU-1"), idle("GPU-1", "MIG-a"), idle("GPU-1", "MIG-b"), idle("GPU-2"), idle("GPU-stranger")];
    const telemeter = new Telemeter([source("nvml", () => ({ gpus, processes: [] }))]);
    const held = [
      holding("cut", { gpuUuids: ["GPU-1"], instances: ["MIG-b"] }),
      holding("one", { gpuUuids: ["GPU-2"] }),
      holding("two", { gpuUuids: ["GPU-2"] }),
    ];
    const read = await telemeter.read(real, held, 7);
    assert.deepEqual(
      read.gpus.map(({ gpuUuid, instance, leases }) => [gpuUuid, instance, leases]),
      [
        ["GPU-1", undefined, ["cut"]],
        ["GPU-1", "MIG-a", []],
        ["GPU-1", "MIG-b", ["cut"]],
        ["GPU-2", undefined, ["one", "two"]],
      ],
    );
    assert.ok(read.gpus.every(({ node, at, source }) => node === "desk" && at === 7 && source === "nvml"));
  });

  it("asks the next source when one fails, and tells nothing when all do", async () => {
    const failing = source("dcgm", () => {
      throw new Error("connection refused");
    });
    const good = source("nvidia-smi", () => ({ gpus: [idle("GPU-1")], processes: [] }));
    assert.equal((await new Telemeter([failing, good]).read(real, [], 1)).gpus[0]?.source, "nvidia-smi");
    assert.deepEqual((await new Telemeter([failing]).read(real, [], 1)).gpus, []);
  });

  it("looks at no device while one is reset or cut", async () => {
    const only = source("nvml", () => ({ gpus: [idle("GPU-1")], processes: [] }));
    const telemeter = new Telemeter([only]);
    await telemeter.read(real, [], 1);
    assert.equal(only.open, true);
    assert.deepEqual((await telemeter.read(real, [], 2, true)).gpus, []);
    assert.equal(only.open, false);
  });

  it("says of virtual GPUs that they are, and asks nothing", async () => {
    const never = source("nvml", () => assert.fail("there is nothing to ask"));
    const nodes = describeFleet([], { virtual: "1x2:H100" });
    const gpuUuid = nodes[0]!.gpus[1]!.uuid;
    const { gpus } = await new Telemeter([never]).read(nodes, [holding("one", { gpuUuids: [gpuUuid] })], 3);
    assert.deepEqual(gpus, [{ node: "virtual-0", gpuUuid, leases: ["one"], at: 3, source: "virtual", metrics: {} }]);
    assert.equal(never.open, false);
  });
});
