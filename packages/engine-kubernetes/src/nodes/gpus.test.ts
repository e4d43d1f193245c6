import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResourceSlice } from "../api/types.ts";
import { gpusOf } from "./gpus.ts";

const node = (capacity: Record<string, string>, labels: Record<string, string> = {}) => ({
  metadata: { name: "n1", labels },
  status: { capacity, allocatable: capacity },
});
const kinds = (found: ReturnType<typeof gpusOf>) =>
  found.map(({ gpu, source }) => `${gpu.model} ${source.kind === "plugin" ? source.resource : source.deviceClass}`);

describe("the GPUs of a node", () => {
  it("are slices where the owner has cut them, each asked for by the resource that counts it", () => {
    const cut = node(
      { "nvidia.com/gpu": "1", "nvidia.com/mig-1g.10gb": "2" },
      { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" },
    );
    assert.deepEqual(kinds(gpusOf(cut, [])), [
      "H100-80GB nvidia.com/gpu",
      "MIG-1g.10gb nvidia.com/mig-1g.10gb",
      "MIG-1g.10gb nvidia.com/mig-1g.10gb",
    ]);
  });

  it("are slices too where all are cut alike and the device plugin calls them GPUs", () => {
    const cut = node({ "nvidia.com/gpu": "1" }, { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb" });
    assert.deepEqual(kinds(gpusOf(cut, [])), ["MIG-1g.10gb nvidia.com/gpu"]);
  });

  it("are shares where several pods use one, under either name, and no job gets one that asks for a GPU", () => {
    const sharing = (strategy: string) => ({
      "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-SHARED",
      "nvidia.com/gpu.sharing-strategy": strategy,
      "nvidia.com/gpu.replicas": "2",
    });
    assert.deepEqual(kinds(gpusOf(node({ "nvidia.com/gpu": "1" }, sharing("mps")), [])), [
      "mps-H100-80GB nvidia.com/gpu",
    ]);
    assert.deepEqual(kinds(gpusOf(node({ "nvidia.com/gpu.shared": "1" }, sharing("time-slicing")), [])), [
      "time-slicing-H100-80GB nvidia.com/gpu.shared",
    ]);
  });

  it("are slices by uuid where a DRA driver publishes them", () => {
    const device = (name: string, attributes: Record<string, string>) => ({
      name,
      attributes: Object.fromEntries(Object.entries(attributes).map(([key, string]) => [key, { string }])),
    });
    const slice: ResourceSlice = {
      metadata: { name: "s" },
      spec: {
        driver: "gpu.nvidia.com",
        pool: { name: "n1" },
        devices: [
          device("gpu-0", { uuid: "GPU-0", type: "gpu", productName: "NVIDIA H100 80GB HBM3" }),
          device("gpu-1-mig-1", { uuid: "MIG-1", type: "mig", profile: "1g.10gb", parentUUID: "GPU-1" }),
        ],
      },
    };
    // The device plugin counts the same GPUs; they are not there twice.
    const found = gpusOf(node({ "nvidia.com/gpu": "2" }), [slice]);
    assert.deepEqual(kinds(found), ["H100-80GB gpu.nvidia.com", "MIG-1g.10gb mig.nvidia.com"]);
    assert.deepEqual(
      found.map(({ gpu }) => gpu.uuid),
      ["GPU-0", "MIG-1"],
    );
  });
});
