import { unitsPerGpu } from "@tessera/core";
import type { LeaseOrder } from "./port.ts";

/** What the environment of a member says and its order does not: its folders, and where its gang meets. */
export interface MemberSite {
  readonly path: string;
  readonly home: string;
  readonly temporary: string;
  readonly cache: string;
  /** Where it starts. */
  readonly work: string;
  readonly out: string;
  readonly checkpoint: string;
  readonly done: string;
  readonly masterAddress: string;
  readonly masterPort: number;
  /** Of all members by rank; empty where they are not known before the start. */
  readonly addresses: readonly string[];
  /** Whether the engine itself says which GPUs a process sees; a cluster's own device plugin sets that. */
  readonly choosesGpus: boolean;
  /** What it has of its GPUs where that is a part; absent = the GPUs of the order. */
  readonly devices?: readonly string[];
  /** What the engine adds and a job may override; and what it may not. */
  readonly usual?: { readonly [name: string]: string };
  readonly fixed?: { readonly [name: string]: string };
}

/** The environment of a member: ours, the names other systems use for the same facts, what was asked for, secrets. */
export function environmentOf(
  order: Omit<LeaseOrder, "secrets">,
  site: MemberSite,
  secrets: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const nodes = [...new Set(order.gangNodes)];
  const nodeRank = String(Math.max(0, nodes.indexOf(order.node)));
  const gpus = (site.devices ?? order.gpuUuids).join(",");
  const rank = String(order.rank);
  const size = String(order.size);
  const index = order.arrayIndex === undefined ? undefined : String(order.arrayIndex);
  return {
    PATH: site.path,
    HOME: site.home,
    USER: "tess",
    LOGNAME: "tess",
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
    TMPDIR: site.temporary,
    // What a setup downloads or builds is kept for the next job of the tenant.
    XDG_CACHE_HOME: site.cache,
    PIP_CACHE_DIR: `${site.cache}/pip`,
    UV_CACHE_DIR: `${site.cache}/uv`,
    CONDA_PKGS_DIRS: `${site.cache}/conda`,

    ...(site.choosesGpus && {
      CUDA_VISIBLE_DEVICES: gpus,
      NVIDIA_VISIBLE_DEVICES: gpus === "" ? "void" : gpus,
    }),
    CUDA_DEVICE_ORDER: "PCI_BUS_ID",

    RANK: rank,
    WORLD_SIZE: size,
    LOCAL_RANK: String(localRankOf(order.gangNodes, order.rank)),
    MASTER_ADDR: site.masterAddress,
    MASTER_PORT: String(site.masterPort),
    ...site.usual,

    SLURM_JOB_ID: order.job,
    SLURM_JOB_NAME: order.jobName,
    SLURM_PROCID: rank,
    SLURM_LOCALID: String(localRankOf(order.gangNodes, order.rank)),
    SLURM_NTASKS: size,
    SLURM_NPROCS: size,
    SLURM_NNODES: String(nodes.length),
    SLURM_JOB_NUM_NODES: String(nodes.length),
    SLURM_NODEID: nodeRank,
    SLURM_NODELIST: nodes.join(","),
    SLURM_JOB_NODELIST: nodes.join(","),
    SLURMD_NODENAME: order.node,
    SLURM_SUBMIT_DIR: order.workdir ?? site.work,
    SLURM_RESTART_COUNT: String(order.attempt - 1),
    ...(index === undefined ? {} : { SLURM_ARRAY_TASK_ID: index, SLURM_ARRAY_JOB_ID: order.arrayId ?? order.job }),

    SKYPILOT_NODE_RANK: rank,
    SKYPILOT_NUM_NODES: size,
    ...(site.addresses.length > 0 && { SKYPILOT_NODE_IPS: site.addresses.join("\n") }),
    SKYPILOT_NUM_GPUS_PER_NODE: String(order.gpuUuids.length),
    SKYPILOT_TASK_ID: order.job,

    ...order.env,
    ...secrets,

    // Last, and not to be overridden: this is how the member itself and its processes are recognised.
    TESS_JOB_ID: order.job,
    TESS_JOB_NAME: order.jobName,
    TESS_LEASE: order.lease,
    ...site.fixed,
    TESS_ACCOUNT: order.account,
    TESS_ATTEMPT: String(order.attempt),
    TESS_RANK: rank,
    TESS_SIZE: size,
    TESS_NODE: order.node,
    TESS_NODES: String(nodes.length),
    TESS_NODELIST: order.gangNodes.join(","),
    TESS_GPUS: String(order.gpuUuids.length),
    ...partVariables(order),
    TESS_MASTER_ADDR: site.masterAddress,
    TESS_MASTER_PORT: String(site.masterPort),
    ...(order.pagePort === undefined ? {} : { TESS_PORT: String(order.pagePort) }),
    TESS_OUT: site.out,
    TESS_CHECKPOINT: site.checkpoint,
    TESS_CACHE: site.cache,
    TESS_DONE: site.done,
    ...(index === undefined ? {} : { TESS_INDEX: index }),
  };
}

/** What a member has of its GPU where it shares it; amounts are fractions of the GPU. */
function partVariables({ part }: Pick<LeaseOrder, "part">): { readonly [name: string]: string } {
  if (part === undefined) return {};
  return {
    TESS_GPU_MODE: part.mode,
    TESS_GPU_SHARE: String(part.compute / unitsPerGpu),
    TESS_GPU_MEMORY_SHARE: String(part.memory / unitsPerGpu),
    ...(part.profile !== undefined && { TESS_GPU_PROFILE: part.profile }),
  };
}

/** How many members of lower rank are on the same node. */
function localRankOf(gangNodes: readonly string[], rank: number): number {
  return gangNodes.slice(0, rank).filter((node) => node === gangNodes[rank]).length;
}
