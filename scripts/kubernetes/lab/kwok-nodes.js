const nodesPerRack = 8;
const racksPerZone = 8;
const atOnce = 16;

/** The node with this number: 8 H100 as feature discovery labels them, in racks of one clique each, racks in zones. */
export function kwokNode(no, { prefix = "kwok", gpus = 8 } = {}) {
  const name = `${prefix}-${String(no).padStart(4, "0")}`;
  const rack = Math.floor(no / nodesPerRack);
  const resources = {
    cpu: "128",
    memory: "2Ti",
    pods: "250",
    "ephemeral-storage": "10Ti",
    "nvidia.com/gpu": String(gpus),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      annotations: { "kwok.x-k8s.io/node": "fake" },
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "node-kind": "kwok",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.count": String(gpus),
        "nvidia.com/gpu.memory": "81559",
        "nvidia.com/gpu.family": "hopper",
        "nvidia.com/gpu.clique": `lab.${rack}`,
        "topology.kubernetes.io/region": "lab",
        "topology.kubernetes.io/zone": `lab-${Math.floor(rack / racksPerZone)}`,
        "topology.lab/rack": `rack-${rack}`,
        "topology.lab/block": `block-${Math.floor(rack / 2)}`,
      },
    },
    status: { allocatable: resources, capacity: resources, nodeInfo: { kubeletVersion: "kwok" } },
  };
}

/** Makes nodes and waits until all are ready. */
export async function addKwokNodes(api, count, options) {
  const nodes = Array.from({ length: count }, (_, no) => kwokNode(no, options));
  const left = [...nodes];
  const maker = async () => {
    for (let node = left.pop(); node !== undefined; node = left.pop()) await api.post("/api/v1/nodes", node);
  };
  await Promise.all(Array.from({ length: atOnce }, maker));
  await untilReady(api, new Set(nodes.map(({ metadata }) => metadata.name)));
  return nodes.map(({ metadata }) => metadata.name);
}

async function untilReady(api, names) {
  for (let tries = 0; tries < 600; tries++) {
    const { items } = await api.get("/api/v1/nodes");
    const ready = items.filter(({ metadata, spec, status }) => {
      const isReady = status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
      return names.has(metadata.name) && isReady && (spec.taints ?? []).length === 0;
    });
    if (ready.length === names.size) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`not all of ${names.size} nodes became ready`);
}
