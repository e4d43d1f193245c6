import type { Account, EngineShape, Job, JobCreated, NodeShape, PoolShape } from "@tessera/wire";

const at = "2026-11-15T10:00:00.000Z";

export function jobOf(given: Partial<Job> = {}): Job {
  return {
    id: "job_1",
    name: "llama-ft",
    project: "lab/vision",
    user: "usr_ana",
    userName: "ana",
    type: "train",
    state: "running",
    held: false,
    attempt: 1,
    priority: 0,
    gpus: 8,
    gpuModel: "H100",
    members: [memberOf(0)],
    submittedAt: at,
    spec: { name: "llama-ft", run: "train" },
    ...given,
  };
}

export function memberOf(rank: number, node = "n0"): Job["members"][number] {
  return { rank, lease: `job_1-1-${rank}`, node, gpus: [`GPU-${rank}`], state: "running", startedAt: at };
}

export function endedJob(outcome: string, exitCode?: number): Partial<Job> {
  return {
    state: "ended",
    outcome,
    members: [],
    startedAt: at,
    endedAt: "2026-11-15T10:01:05.000Z",
    ...(exitCode !== undefined && { exitCode }),
  };
}

export function nodeOf(given: Partial<NodeShape> = {}): NodeShape {
  return {
    name: "n0",
    engine: "local",
    mode: "up",
    reason: "",
    zone: "z1",
    block: "b1",
    rack: "r1",
    nvlink: "n0",
    model: "H100",
    gpus: 8,
    gpusFree: 3,
    cpus: 64,
    cpusFree: 32,
    memoryMiB: 524_288,
    memoryFreeMiB: 262_144,
    virtual: false,
    revision: "1",
    ...given,
  };
}

export function engineOf(given: Partial<EngineShape> = {}): EngineShape {
  return {
    name: "east",
    kind: "kubernetes",
    reach: "reachable",
    since: at,
    version: "Kubernetes v1.37.1",
    capabilities: {
      images: true,
      withoutImage: false,
      isolation: ["whole", "mig"],
      workdir: false,
      code: false,
      mounts: true,
    },
    nodes: 2,
    gpus: 16,
    gpusHeld: 4,
    gpusFree: 12,
    leaving: false,
    lostAfter: "10m",
    settings: { context: "east" },
    credentials: "kept",
    fromStart: false,
    createdAt: at,
    ...given,
  };
}

export function poolOf(given: Partial<PoolShape> = {}): PoolShape {
  return {
    name: "gold",
    labels: { tier: "gold", engine: "east" },
    tenants: ["lab", "studio/render"],
    price: "1.5",
    nodes: 2,
    gpus: 16,
    ...given,
  };
}

export function accountOf(path: string, given: Partial<Account> = {}): Account {
  return {
    id: `acc_${path.replaceAll("/", "_")}`,
    path,
    tenant: path.split("/")[0] ?? "",
    guarantee: {},
    weight: 1,
    cpus: {},
    memoryMiB: {},
    trust: "trusted",
    order: "age",
    overcommit: false,
    overcommitted: false,
    limits: {},
    allowed: {},
    used: { gpus: 0, byModel: {}, borrowed: 0, cpus: 0, memoryMiB: 0 },
    liveJobs: 0,
    revision: "rev-1",
    ...given,
  };
}

export function createdJob(given: Partial<JobCreated> = {}): JobCreated {
  return {
    id: "job_1",
    name: "a",
    project: "lab",
    user: "usr_ana",
    state: "waiting",
    size: 1,
    gpus: 1,
    submittedAt: at,
    ...given,
  };
}
