import { fetchScript, type LeaseOrder, type MountOrder } from "@tessera/engine";
import type { Container, EnvVar, Pod, Volume, VolumeMount } from "../api/types.ts";
import { annotation } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";
import {
  type AgentOrder,
  agentContainer,
  agentEnv,
  agentFile,
  agentFolder,
  agentOrderOf,
  treesFolder,
} from "./agent/order.ts";
import { waitScript } from "./agent/wait.ts";
import { checkpointClaim } from "./claims.ts";

/** The folders of a member, as it sees them. `root` is a volume of the pod's own, which the others lie in unless mounted. */
export const folders = {
  root: "/tess",
  work: "/tess/work",
  temporary: "/tess/tmp",
  out: "/tess/out",
  checkpoint: "/tess/checkpoint",
  cache: "/tess/cache",
} as const;

/** The job creates this file to say that its work is complete [L1]. */
export const donePath = `${folders.temporary}/.tess-done`;

/** In the environment of everything that a visitor starts: the name of the entry. */
export const entryVariable = "TESS_ENTRY";

/** What the files of a member add to its pod. */
export interface InsideParts {
  readonly volumes: readonly Volume[];
  readonly initContainers: readonly Container[];
  /** Of the member's container. */
  readonly mounts: readonly VolumeMount[];
  readonly env: readonly EnvVar[];
  readonly annotations: Readonly<Record<string, string>>;
  /** How much longer than its grace the pod is left, so that what the member left can be taken. */
  readonly takeSeconds: number;
  /** Shell lines that run as the job before its setup, in the work folder; a failing one ends the member. */
  readonly before: string;
}

/** Outputs of a member are taken within this, or not at all: its GPUs are held meanwhile. */
const takeSecondsMax = 600;

/** How much longer than its grace this pod is left. */
export function takeSecondsOf(pod: Pod): number {
  return agentOrderOf(pod)?.outputs === undefined ? 0 : takeSecondsMax;
}

/** What of an order cannot be had here, in words for its user. */
export function insideFault(order: LeaseOrder, { agentImage }: KubernetesSettings): string | undefined {
  const { code, mounts = [], venv, workdir } = order;
  const agentless = "this cluster has no agent image, with which files are brought into pods";
  if (workdir !== undefined) return `workdir ${workdir} is a folder of a machine, which pods cannot see`;
  if (venv !== undefined) return `venv ${venv.path} is a folder of a machine, which pods cannot see`;
  if (code !== undefined && "tree" in code && agentImage === undefined) return agentless;
  for (const mount of mounts) {
    if ("folder" in mount)
      return `the volume at ${mount.at} is a folder of a machine, which pods cannot see; use pvc:NAME`;
    if ("tree" in mount && agentImage === undefined) return agentless;
    if (`${mount.at}/`.startsWith(`${folders.root}/`))
      return `nothing can be mounted at ${mount.at}: ${folders.root} is Tessera's`;
  }
  return undefined;
}

/** Pure: what code, mounts, outputs and the checkpoint of an order need in its pod. */
export function insideOf(order: LeaseOrder, settings: KubernetesSettings): InsideParts {
  const { limits, outputs } = order;
  const checkpoint = checkpointVolume(order, settings);
  const shown = (order.mounts ?? []).map(shownMount);
  const agent = settings.agentImage === undefined ? undefined : agentParts(order, settings.agentImage);
  return {
    volumes: [checkpoint, ...shown.flatMap(({ volume }) => volume ?? []), ...(agent?.volumes ?? [])],
    initContainers: agent === undefined ? [] : [agent.container],
    mounts: [checkpointMount, ...shown.map(({ mount }) => mount), ...(agent === undefined ? [] : [agent.mount])],
    env: [],
    annotations: limits.logMiB === undefined ? {} : { [annotation.logMiB]: String(limits.logMiB) },
    before: [agent?.before ?? "", gitLines(order)].filter((lines) => lines !== "").join("\n"),
    takeSeconds: agent !== undefined && outputs !== undefined ? takeSecondsMax : 0,
  };
}

const checkpointMount: VolumeMount = { name: "checkpoint", mountPath: folders.checkpoint };

/** Whether the folder for checkpoints is storage of its own; only jobs that save are given any. */
export function claimsCheckpoint({ checkpoint }: LeaseOrder, { checkpointClass }: KubernetesSettings): boolean {
  return checkpoint === true && checkpointClass !== undefined;
}

function checkpointVolume(order: LeaseOrder, settings: KubernetesSettings): Volume {
  const { job, limits } = order;
  if (claimsCheckpoint(order, settings))
    return { name: checkpointMount.name, persistentVolumeClaim: { claimName: checkpointClaim(job) } };
  const { checkpointMiB } = limits;
  return {
    name: checkpointMount.name,
    emptyDir: checkpointMiB === undefined ? {} : { sizeLimit: `${checkpointMiB}Mi` },
  };
}

const treesVolume = "trees";

function shownMount(mount: MountOrder, i: number): { readonly mount: VolumeMount; readonly volume?: Volume } {
  const name = `mount-${i}`;
  if ("claim" in mount) {
    const { claim: claimName, readOnly } = mount;
    return {
      mount: { name, mountPath: mount.at, readOnly },
      volume: { name, persistentVolumeClaim: { claimName, readOnly } },
    };
  }
  return { mount: { name: treesVolume, mountPath: mount.at, subPath: String(i), readOnly: true } };
}

interface AgentParts {
  readonly volumes: readonly Volume[];
  readonly container: Container;
  readonly mount: VolumeMount;
  readonly before: string;
}

/** A container that starts before the member and ends after it. */
function agentParts(order: LeaseOrder, image: string): AgentParts {
  const { code, mounts = [], outputs, rank, tenant } = order;
  const trees = mounts.flatMap((mount, i) => ("tree" in mount ? { tree: mount.tree, to: `${treesFolder}/${i}` } : []));
  const own = code !== undefined && "tree" in code ? [{ tree: code.tree, to: folders.work }] : [];
  const duty: AgentOrder = { tenant, rank, bring: [...own, ...trees], ...(outputs !== undefined && { outputs }) };
  const mount = { name: "agent", mountPath: agentFolder };
  return {
    volumes: [{ name: mount.name, emptyDir: {} }, ...(trees.length === 0 ? [] : [{ name: treesVolume, emptyDir: {} }])],
    mount: { ...mount, readOnly: true },
    before: duty.bring.length === 0 ? "" : awaitLines,
    container: {
      name: agentContainer,
      image,
      imagePullPolicy: "IfNotPresent",
      restartPolicy: "Always",
      command: ["/bin/sh", "-c", waitScript(duty, Object.values(folders))],
      env: [agentEnv(duty)],
      volumeMounts: [
        { name: "tess", mountPath: folders.root },
        mount,
        checkpointMount,
        ...(trees.length === 0 ? [] : [{ name: treesVolume, mountPath: treesFolder }]),
      ],
      // It asks for nothing: what a node has is what the scheduler of Tessera gives to members.
      resources: { requests: { cpu: "0", memory: "0" }, limits: { cpu: "1", memory: "256Mi" } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
    },
  };
}

/** The member begins when its files are there. */
const awaitLines = `until [ -e ${agentFile.brought} ]; do
  [ ! -e ${agentFile.refused} ] || { tee /dev/termination-log < ${agentFile.refused} >&2; exit 125; }
  sleep 0.1 || sleep 1
done`;

/** A repository is fetched as the job: its user, its network, its secrets. */
function gitLines({ code }: LeaseOrder): string {
  return code !== undefined && "git" in code ? fetchScript(code.git) : "";
}
