import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { jobFolders, type StateFolder } from "../lease/folder.ts";
import { capabilityFolder, capabilityMajor } from "../part/capabilities.ts";
import type { RunSheet } from "../supervise/sheet.ts";
import { type Bind, type Closet, type ShownGroups, shown } from "./closet.ts";
import type { ControlGroup } from "./group.ts";
import { type DeviceNumber, planGroups } from "./groups.ts";
import type { Machine } from "./machine.ts";
import { isNew, planMounts, treeFolder } from "./mounts.ts";
import { networkEnforcement, networkLack, networkWords } from "./network/enter.ts";
import type { NetworkSheet } from "./network/networks.ts";

/** What the plan of one member rests on. */
export interface Ground {
  readonly state: StateFolder;
  readonly bootId: string;
  readonly machine: Machine;
  /** The user id of the order's tenant, where we may become another user. */
  readonly user?: number;
  /** The device behind each real GPU of the machine. */
  readonly gpuDevices: { readonly [uuid: string]: string };
  /** The content of all tenants, from which code is unpacked. */
  readonly contentFolder?: string;
  /** The network that the member has joined. */
  readonly network: NetworkSheet;
  /** Folders of the control plane, which no job may see. */
  readonly hidden: readonly string[];
  readonly logBytesMax: number;
  readonly logFilesMax: number;
}

/** Decides how a member will be limited and closed in here, and says for each part what really enforces it. */
export function planRun(order: RunSheet["order"], ground: Ground): RunSheet {
  const { state, machine, user } = ground;
  const folder = join(state.work, order.lease);
  const workFolder = join(folder, "work");
  const temporaryFolder = join(folder, "tmp");
  const outFolder = join(folder, "out");
  const homeFolder = join(folder, "home");
  const cacheFolder = join(state.cache, order.tenant);
  const doorFolder = join(state.doors, order.lease);
  const checkpointFolder = jobFolders(state, order.job).checkpoint;
  const namespaced = machine.means === "bwrap" || machine.means === "unshare";
  const closed = Object.entries(ground.gpuDevices)
    .filter(([uuid]) => !order.gpuUuids.includes(uuid))
    .map(([, device]) => device)
    .filter((device) => existsSync(device)); // what is not there cannot be opened either
  const mark = markOf(state, order.lease);
  const processesMax =
    order.limits.processesMax + (order.limits.processesMax > 0 ? (namespaced ? keepers + 1 : keepers) : 0);
  const closedNumbers = [...closed.map(deviceNumber), ...instanceNumbers()];
  const groups = planGroups(machine.hierarchies, mark, { ...order.limits, processesMax }, closedNumbers);
  const fenced = groups.some((group) => group.limits.includes("gpu"));
  const pathOf = (name: "work" | "out" | "checkpoint" | "home" | "cache" | "door", real: string) =>
    machine.isRoot && namespaced ? shown[name] : real;
  const workPath = pathOf("work", workFolder);
  const outPath = pathOf("out", outFolder);
  const checkpointPath = pathOf("checkpoint", checkpointFolder);
  const homePath = pathOf("home", homeFolder);
  const cachePath = pathOf("cache", cacheFolder);
  const doorPath = pathOf("door", doorFolder);
  const mounts = planMounts(state, order);
  const closet: Closet = {
    means: machine.means,
    ...(user === undefined ? {} : { user }),
    hidden: ground.hidden,
    workFolder,
    temporaryFolder,
    workPath,
    binds: [
      ...ownWorkdir(machine, order),
      { from: outFolder, at: outPath },
      { from: checkpointFolder, at: checkpointPath },
      { from: homeFolder, at: homePath },
      { from: cacheFolder, at: cachePath },
      { from: doorFolder, at: doorPath, readOnly: true },
      ...mounts,
    ],
    newFolders: mounts.map(({ at }) => at).filter(isNew),
    ...shmOf(order.limits),
    controlGroups: shownGroups(machine, groups),
    coveredDevices: fenced || !machine.isRoot ? [] : closed,
    ...(namespaced && machine.isRoot && existsSync(capabilityFolder) && { capabilities: [] }),
    ...(machine.seccomp === undefined ? {} : { filter: machine.seccomp.loader }),
  };

  const holder = (limit: string) => {
    const group = groups.find((candidate) => candidate.limits.includes(limit));
    if (group === undefined) return undefined;
    return `cgroup-v${machine.hierarchies.find(({ folder: top }) => group.folder.startsWith(`${top}/`))!.version}`;
  };
  const asked = {
    memory: order.limits.memoryMiB > 0,
    cpu: order.limits.cpusMilli > 0,
    processes: order.limits.processesMax > 0,
    time: order.limits.runMsMax > 0,
    shm: order.limits.shmMiB !== undefined,
    scratch: order.limits.scratchMiB !== undefined,
    checkpoint: order.limits.checkpointMiB !== undefined,
  };
  const enforcedBy = {
    memory: holder("memory") ?? `prlimit on each process (${noGroup})`,
    cpu: holder("cpu") ?? `none (${noGroup})`,
    processes: holder("processes") ?? `none (${noGroup})`,
    time: "supervisor",
    shm: namespaced ? "mount-namespace" : "none (the /dev/shm of the machine)",
    scratch: machine.quota ? "project-quota" : watched,
    checkpoint: machine.quota ? "project-quota" : watched,
  };
  const limits = (Object.keys(asked) as (keyof typeof asked)[]).filter((limit) => asked[limit]);
  const ender = groups.find((group) => group.ends !== "no");
  return {
    order,
    gpuMinors: minorsOf(order, ground),
    gpuFolder: gpuFolder(state),
    bootId: ground.bootId,
    mark,
    enforcement: {
      ...Object.fromEntries(limits.map((limit) => [limit, enforcedBy[limit]])),
      gpu: gpuEnforcement(ground, closed, fenced),
      network: networkEnforcement(ground.network, machine),
      tenant: tenantEnforcement(machine),
      seccomp: machine.seccomp?.loader ?? "none (needs bwrap or perl)",
      tree: ender !== undefined ? `cgroup (${ender.ends})` : namespaced ? "pid-namespace" : "none (environment marker)",
    },
    asked: [...limits, "network"],
    groups,
    ...(asked.memory && holder("memory") === undefined ? { dataKiBMax: order.limits.memoryMiB * 1024 } : {}),
    network: ground.network,
    networkWords: networkWords(ground.network, machine),
    closet,
    contained: namespaced,
    ...(machine.quota && { quota: true as const }),
    ...(machine.seccomp === undefined ? {} : { seccompFile: machine.seccomp.file }),
    ...(user === undefined ? {} : { owner: user }),
    workFolder,
    temporaryFolder,
    outFolder,
    checkpointFolder,
    homeFolder,
    cacheFolder,
    ...(ground.contentFolder === undefined ? {} : { contentFolder: ground.contentFolder }),
    workPath,
    outPath,
    checkpointPath,
    homePath,
    cachePath,
    temporaryPath: namespaced ? "/tmp" : temporaryFolder,
    doorFolder,
    doorPath,
    mountedTrees: (order.mounts ?? []).flatMap((mount) =>
      "tree" in mount ? [{ tree: mount.tree, folder: treeFolder(state, order.tenant, mount.tree) }] : [],
    ),
    logFolder: join(state.logs, order.lease),
    hintFile: join(state.hints, order.lease),
    logBytesMax: order.limits.logMiB === undefined ? ground.logBytesMax : order.limits.logMiB * 2 ** 20,
    logFilesMax: ground.logFilesMax,
  };
}

/** Where supervisors meet that change the same GPU. */
export function gpuFolder({ root }: StateFolder): string {
  return join(root, "gpus");
}

/** Where a job runs as our own user the machine's files are read-only for it, except the folder that it asks to work in. */
function ownWorkdir({ isRoot }: Machine, { workdir }: RunSheet["order"]): Bind[] {
  if (isRoot || workdir === undefined || !existsSync(workdir)) return [];
  return [{ from: workdir, at: workdir }];
}

/** Shared memory counts as memory, so half of that unless the job says otherwise: the kernel would give half of the machine. */
function shmOf({ shmMiB, memoryMiB }: RunSheet["order"]["limits"]): { readonly shmMiB?: number } {
  if (shmMiB !== undefined) return { shmMiB };
  return memoryMiB > 0 ? { shmMiB: Math.max(1, Math.floor(memoryMiB / 2)) } : {};
}

function shownGroups({ hierarchies, groupMounts }: Machine, groups: readonly ControlGroup[]): ShownGroups {
  const hierarchy = hierarchies.find(({ version }) => version === 2);
  const own = groups.find(({ folder }) => hierarchy !== undefined && folder.startsWith(`${hierarchy.folder}/`));
  if (hierarchy === undefined || own === undefined) return { hidden: groupMounts };
  return { hidden: groupMounts, own: { from: own.folder, at: hierarchy.mount } };
}

/** What the walls of this machine leave open, in words for its owner. */
export function gapsOf(machine: Machine): string[] {
  const { isRoot, means, seccomp, hierarchies } = machine;
  const gaps: string[] = [];
  if (means === "nothing" && !isRoot)
    gaps.push("jobs can read the data folder, the owner's token too: install bwrap (bubblewrap), or run as root");
  if (means === "user") gaps.push("jobs see the processes of others: install bwrap (bubblewrap)");
  if (seccomp === undefined) gaps.push("no filter of system calls: install bwrap (bubblewrap) or perl");
  const lack = networkLack(machine);
  if (lack !== undefined) gaps.push(`jobs share the network of this machine: ${lack}`);
  const carried = hierarchies.flatMap(({ controllers }) => controllers);
  const loose = ["memory", "cpu", "pids"].filter((controller) => !carried.includes(controller));
  if (loose.length > 0)
    gaps.push(`no control group limits ${loose.join(", ")} of a job${isRoot ? "" : ": run as root"}`);
  return gaps;
}

/**
 * The processes of the init, and one that it starts for a moment; with a namespace the wrapper waits outside. They count
 * in the group but are not the job's.
 */
const keepers = 4;

/** The supervisor measures the folders now and then; between two looks a job can write more. */
const watched = "supervisor (measured)";

const noGroup = "no control group here carries it";

/** Says nothing of the job: where there are no namespaces, every user can read the groups of all processes. */
function markOf(state: StateFolder, lease: string): string {
  return createHash("sha256").update(`${state.root}\n${lease}`).digest("hex").slice(0, 32);
}

/** Whatever opens a MIG instance: the one that the member gets is opened to it when it is made. */
function instanceNumbers(): DeviceNumber[] {
  const major = capabilityMajor();
  return major === undefined ? [] : [{ major, minor: "*" }];
}

function minorsOf({ gpuUuids }: RunSheet["order"], { gpuDevices }: Ground): { readonly [uuid: string]: number } {
  const found = gpuUuids.map((uuid) => [uuid, /^\/dev\/nvidia(\d+)$/.exec(gpuDevices[uuid] ?? "")?.[1]] as const);
  return Object.fromEntries(found.flatMap(([uuid, minor]) => (minor === undefined ? [] : [[uuid, Number(minor)]])));
}

/** The kernel keeps both numbers in one; this is how it splits them. */
function deviceNumber(path: string): DeviceNumber {
  const { rdev } = statSync(path);
  return { major: (rdev >> 8) & 0xfff, minor: (rdev & 0xff) | ((rdev >> 12) & 0xfff00) };
}

function gpuEnforcement(ground: Ground, closed: readonly string[], fenced: boolean): string {
  if (Object.keys(ground.gpuDevices).length === 0) return "environment (virtual GPUs)";
  if (fenced) return "devices-cgroup-v1";
  if (closed.length === 0) return "environment (no other GPU here)";
  const { isRoot, means } = ground.machine;
  return isRoot && (means === "bwrap" || means === "unshare") ? "mount-namespace" : "environment";
}

function tenantEnforcement({ isRoot, means }: Machine): string {
  const user = isRoot ? ["uid"] : [];
  switch (means) {
    case "bwrap":
    case "unshare":
      return [...user, "pid-namespace", "mount-namespace", "ipc-namespace", "cgroup-namespace"].join("+");
    case "user":
      return "uid";
    case "nothing":
      return isRoot ? "none" : "none (not root, and no bwrap)";
  }
}
