import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Node, Pod, ResourceSlice } from "../api/types.ts";
import { cordonAnnotation, viewOf } from "./facts.ts";
import { claimedDevices, foreignByNode, noUse } from "./foreign.ts";
import { quantity } from "./quantity.ts";

const offers = {
  images: true,
  withoutImage: false,
  isolation: ["whole"],
  workdir: false,
  code: false,
  mounts: true,
} as const;
const around = { engine: "east", settings: {}, offers, slices: [], foreign: noUse, claimed: new Set<string>() };
const ready = [{ type: "Ready", status: "True" }];

function nodeOf(
  change: { labels?: Record<string, string>; resources?: Record<string, string>; spec?: Node["spec"] } = {},
): Node {
  const resources = { cpu: "63500m", memory: "256Gi", "nvidia.com/gpu": "8", ...change.resources };
  return {
    metadata: {
      name: "n1",
      uid: "u1",
      labels: { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", ...change.labels },
    },
    ...(change.spec && { spec: change.spec }),
    status: {
      allocatable: resources,
      capacity: { ...resources, "nvidia.com/gpu": "8" },
      conditions: ready,
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      nodeInfo: { bootID: "b1" },
    },
  };
}

describe("the facts of a node", () => {
  it("are its GPUs by model, its room, its place and its labels", () => {
    const labels = {
      "nvidia.com/gpu.memory": "81559",
      "nvidia.com/gpu.clique": "c.1",
      "topology.kubernetes.io/region": "r",
      "topology.kubernetes.io/zone": "z",
      rack: "r7",
      "nvidia.com/gfd.timestamp": "1",
    };
    const { facts } = viewOf(nodeOf({ labels }), { ...around, settings: { rackLabel: "rack" } });
    assert.equal(facts.gpus.length, 8);
    assert.deepEqual(facts.gpus[3], { uuid: "n1/nvidia.com/gpu/3", model: "H100-80GB", memoryMiB: 81_559 });
    assert.deepEqual([facts.cpusMilli, facts.memoryMiB], [63_500, 262_144]);
    assert.deepEqual(facts.place, { region: "r", zone: "z", block: "z", rack: "r7", nvlink: "c.1" });
    assert.deepEqual([facts.bootId, facts.address, facts.engine], ["b1", "10.0.0.1", "east"]);
    assert.equal(facts.labels?.rack, "r7");
    assert.equal(facts.labels?.["nvidia.com/gfd.timestamp"], undefined);
    assert.equal(facts.condition, undefined);
  });

  it("withhold what foreign pods hold and what the kubelet does not offer, from the last GPU on", () => {
    const pod = (gpus: string): Pod => ({
      metadata: { name: "other", namespace: "x" },
      spec: {
        nodeName: "n1",
        containers: [{ name: "c", resources: { requests: { cpu: "500m", memory: "1Gi", "nvidia.com/gpu": gpus } } }],
        initContainers: [{ name: "i", resources: { requests: { cpu: "2" } } }],
      },
    });
    const foreign = foreignByNode([pod("2")]).get("n1");
    const { facts } = viewOf(nodeOf({ resources: { "nvidia.com/gpu": "7" } }), { ...around, foreign });
    assert.deepEqual(facts.withheld, ["n1/nvidia.com/gpu/5", "n1/nvidia.com/gpu/6", "n1/nvidia.com/gpu/7"]);
    assert.equal(facts.cpusMilli, 61_500); // its init container alone asks for more than the rest
    assert.equal(facts.memoryMiB, 262_144 - 1_024);
    assert.equal(foreignByNode([{ ...pod("2"), status: { phase: "Succeeded" } }]).size, 0);
  });

  it("take devices of a driver by uuid, and withhold those that claims of others hold", () => {
    const slice: ResourceSlice = {
      metadata: { name: "s" },
      spec: {
        driver: "gpu.nvidia.com",
        nodeName: "n1",
        pool: { name: "n1" },
        devices: [
          device("gpu-0", { uuid: "GPU-a", productName: "NVIDIA H200", type: "gpu" }, "141Gi"),
          device("mig-0", { uuid: "MIG-b", profile: "1g.18gb", type: "mig" }, "18Gi"),
        ],
      },
    };
    const claimed = claimedDevices([
      {
        metadata: { name: "c" },
        status: { allocation: { devices: { results: [{ driver: "gpu.nvidia.com", pool: "n1", device: "gpu-0" }] } } },
      },
    ]);
    const { facts, sources } = viewOf(nodeOf(), { ...around, slices: [slice], claimed });
    assert.deepEqual(
      facts.gpus.map(({ uuid, model }) => [uuid, model]),
      [
        ["GPU-a", "H200"],
        ["MIG-b", "MIG-1g.18gb"],
      ],
    );
    assert.deepEqual(facts.withheld, ["GPU-a"]);
    const source = sources.get("MIG-b");
    assert.ok(source?.kind === "claim" && source.deviceClass === "mig.nvidia.com");
  });

  it("do not pass a share or a slice of a GPU for a whole one", () => {
    const shared = nodeOf({ labels: { "nvidia.com/gpu.sharing-strategy": "time-slicing" } });
    assert.equal(viewOf(shared, around).facts.gpus[0]?.model, "time-slicing-H100-80GB");
    const sliced = nodeOf({ resources: { "nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "7" } });
    const models = new Set(viewOf(sliced, around).facts.gpus.map(({ model }) => model));
    assert.ok(models.has("MIG-1g.10gb"));
  });

  it("say why a node takes nothing new; what Tessera itself cordoned is no news", () => {
    const conditionOf = (node: Node) => viewOf(node, around).facts.condition;
    const cordoned = nodeOf({ spec: { unschedulable: true } });
    assert.equal(conditionOf(cordoned)?.state, "cordoned");
    const annotations = { [cordonAnnotation]: "drained" };
    assert.equal(conditionOf({ ...cordoned, metadata: { ...cordoned.metadata, annotations } }), undefined);
    const silent = nodeOf();
    const unknown = { ...silent, status: { ...silent.status, conditions: [{ type: "Ready", status: "Unknown" }] } };
    assert.equal(conditionOf(unknown)?.state, "unknown");
    const tainted = nodeOf({ spec: { taints: [{ key: "team", value: "a", effect: "NoSchedule" }] } });
    assert.match(conditionOf(tainted)!.reason, /team=a:NoSchedule/);
  });
});

it("reads quantities as Kubernetes writes them", () => {
  assert.deepEqual(
    ["1500m", "2", "1Ki", "1M", "1e3", undefined].map((text) => quantity(text)),
    [1.5, 2, 1024, 1e6, 1000, 0],
  );
  assert.throws(() => quantity("lots"), /lots/);
});

function device(name: string, attributes: Record<string, string>, memory: string) {
  const strings = Object.fromEntries(Object.entries(attributes).map(([key, string]) => [key, { string }]));
  return { name, attributes: strings, capacity: { memory: { value: memory } } };
}
