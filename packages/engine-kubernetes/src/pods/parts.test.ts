import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "@tessera/core";
import { MemberRefused } from "../api/error.ts";
import { isolationOffered, migSelector, partRequest, partsOffered } from "./parts.ts";

const node = (allocatable: Record<string, string>, labels: Record<string, string> = {}) => ({
  metadata: { name: "n1", labels },
  status: { allocatable },
});
const slice = (profile: string) => ({ mode: "mig", compute: 3000, memory: 2625, profile }) as const;
const quarter = (mode: "mps" | "timeslice") => ({ mode, compute: unitsPerGpu / 4, memory: unitsPerGpu / 4 }) as const;
const sharing = (strategy: string, replicas: string) => ({
  "nvidia.com/gpu.sharing-strategy": strategy,
  "nvidia.com/gpu.replicas": replicas,
});

describe("parts of GPUs in a cluster", () => {
  it("asks for a MIG slice by the resource that counts it, also with media engines", () => {
    const cut = node({ "nvidia.com/mig-1g.10gb": "6", "nvidia.com/mig-1g.10gb.me": "1", "nvidia.com/gpu": "2" });
    assert.deepEqual(partRequest(slice("1g.10gb"), cut), { "nvidia.com/mig-1g.10gb": "1" });
    assert.deepEqual(partRequest(slice("1g.10gb+me"), cut), { "nvidia.com/mig-1g.10gb.me": "1" });
    assert.deepEqual(isolationOffered(cut), ["whole", "mig"]);
  });

  it("refuses a slice that the node is not cut into, and says what it is cut into", () => {
    const cut = node({ "nvidia.com/mig-1g.10gb": "7" });
    assert.throws(
      () => partRequest(slice("3g.40gb"), cut),
      (error: Error) => error instanceof MemberRefused && /3g\.40gb; it is cut into 7 of 1g\.10gb/.test(error.message),
    );
    assert.throws(() => partRequest(slice("1g.10gb"), node({ "nvidia.com/gpu": "8" })), /offers no MIG slices/);
  });

  it("does not count slices that are called GPUs as whole ones", () => {
    const cut = node({ "nvidia.com/gpu": "56" }, { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb" });
    assert.deepEqual(isolationOffered(cut), ["mig"]);
    assert.deepEqual(partRequest(slice("1g.10gb"), cut), { "nvidia.com/gpu": "1" });
    assert.equal(partsOffered(cut).mig.get("1g.10gb")?.count, 56);
  });

  it("asks for one replica of a GPU that is shared, under the name it has there", () => {
    const plain = node({ "nvidia.com/gpu": "32" }, sharing("mps", "4"));
    assert.deepEqual(partRequest(quarter("mps"), plain), { "nvidia.com/gpu": "1" });
    const renamed = node({ "nvidia.com/gpu": "0", "nvidia.com/gpu.shared": "32" }, sharing("time-slicing", "4"));
    assert.deepEqual(partRequest(quarter("timeslice"), renamed), { "nvidia.com/gpu.shared": "1" });
    assert.deepEqual(isolationOffered(renamed), ["timeslice"]);
  });

  it("refuses a part of another size than the replicas have, and a way of sharing that is not set up", () => {
    const shared = node({ "nvidia.com/gpu": "32" }, sharing("mps", "4"));
    const half = { ...quarter("mps"), compute: unitsPerGpu / 2, memory: unitsPerGpu / 2 };
    assert.throws(() => partRequest(half, shared), /4 equal parts; ask for 0\.25 of a GPU, not 0\.5/);
    assert.throws(() => partRequest(quarter("timeslice"), shared), /does not share its GPUs by time-slicing/);
    assert.throws(() => partRequest(quarter("mps"), node({ "nvidia.com/gpu": "8" })), /shares none/);
  });

  it("pins a claim to a slice of the very GPU", () => {
    assert.equal(
      migSelector(slice("1g.10gb"), "GPU-7", "gpu.nvidia.com"),
      'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "mig" && ' +
        'device.attributes["gpu.nvidia.com"].profile == "1g.10gb" && device.attributes["gpu.nvidia.com"].parentUUID == "GPU-7"',
    );
  });
});
