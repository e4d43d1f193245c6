import { join } from "node:path";
import { donePath } from "./done.ts";
import { standardPath } from "./job.ts";
import { markVariable } from "./processes.ts";
import type { RunSheet } from "./sheet.ts";

/** The environment of a member: ours, the names other systems use for the same facts, what was asked for, secrets. */
export function environmentOf(
  sheet: RunSheet,
  secrets: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const { order, network } = sheet;
  const nodes = [...new Set(order.gangNodes)];
  const nodeRank = String(Math.max(0, nodes.indexOf(order.node)));
  const gpus = order.gpuUuids.join(",");
  const rank = String(order.rank);
  const size = String(order.size);
  const index = order.arrayIndex === undefined ? undefined : String(order.arrayIndex);
  return {
    PATH: standardPath,
    HOME: sheet.homePath,
    USER: "tess",
    LOGNAME: "tess",
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
    TMPDIR: sheet.temporaryPath,
    // What a setup downloads or builds is kept for the next job of the tenant.
    XDG_CACHE_HOME: sheet.cachePath,
    PIP_CACHE_DIR: join(sheet.cachePath, "pip"),
    UV_CACHE_DIR: join(sheet.cachePath, "uv"),
    CONDA_PKGS_DIRS: join(sheet.cachePath, "conda"),

    CUDA_VISIBLE_DEVICES: gpus,
    NVIDIA_VISIBLE_DEVICES: gpus === "" ? "void" : gpus,
    CUDA_DEVICE_ORDER: "PCI_BUS_ID",

    RANK: rank,
    WORLD_SIZE: size,
    LOCAL_RANK: String(localRankOf(order.gangNodes, order.rank)),
    MASTER_ADDR: network.masterAddress,
    MASTER_PORT: String(network.masterPort),
    // Where members meet; these two would look for it by the name of the machine.
    ...(network.wall === undefined ? {} : { GLOO_SOCKET_IFNAME: "eth0", TP_SOCKET_IFNAME: "eth0" }),

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
    SLURM_SUBMIT_DIR: order.workdir ?? sheet.workPath,
    SLURM_RESTART_COUNT: String(order.attempt - 1),
    ...(index === undefined ? {} : { SLURM_ARRAY_TASK_ID: index, SLURM_ARRAY_JOB_ID: order.arrayId ?? order.job }),

    SKYPILOT_NODE_RANK: rank,
    SKYPILOT_NUM_NODES: size,
    SKYPILOT_NODE_IPS: network.addresses.join("\n"),
    SKYPILOT_NUM_GPUS_PER_NODE: String(order.gpuUuids.length),
    SKYPILOT_TASK_ID: order.job,

    ...order.env,
    ...secrets,

    // Last, and not to be overridden: this is how the member itself and its processes are recognised.
    TESS_JOB_ID: order.job,
    TESS_JOB_NAME: order.jobName,
    TESS_LEASE: order.lease,
    [markVariable]: sheet.mark,
    TESS_ACCOUNT: order.account,
    TESS_ATTEMPT: String(order.attempt),
    TESS_RANK: rank,
    TESS_SIZE: size,
    TESS_NODE: order.node,
    TESS_NODES: String(nodes.length),
    TESS_NODELIST: order.gangNodes.join(","),
    TESS_GPUS: String(order.gpuUuids.length),
    TESS_MASTER_ADDR: network.masterAddress,
    TESS_MASTER_PORT: String(network.masterPort),
    ...(order.pagePort === undefined ? {} : { TESS_PORT: String(order.pagePort) }),
    TESS_OUT: sheet.outPath,
    TESS_CHECKPOINT: sheet.checkpointPath,
    TESS_CACHE: sheet.cachePath,
    TESS_DONE: donePath(sheet),
    ...(index === undefined ? {} : { TESS_INDEX: index }),
  };
}

/** How many members of lower rank are on the same node. */
function localRankOf(gangNodes: readonly string[], rank: number): number {
  return gangNodes.slice(0, rank).filter((node) => node === gangNodes[rank]).length;
}
