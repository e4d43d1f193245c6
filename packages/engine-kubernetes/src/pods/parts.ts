import { type PartSeat, unitsPerGpu } from "@tessera/core";
import { MemberRefused } from "../api/error.ts";
import type { Node } from "../api/types.ts";

const gpuResource = "nvidia.com/gpu";
const sharedResource = "nvidia.com/gpu.shared";
const migPrefix = "nvidia.com/mig-";
/** Labels of GPU feature discovery. */
const sharingLabel = "nvidia.com/gpu.sharing-strategy";
const replicasLabel = "nvidia.com/gpu.replicas";
const productLabel = "nvidia.com/gpu.product";
/** Slices are a seventh or an eighth and replicas a whole number of parts: what is closer than this is the same. */
const tolerance = 0.02;

/** The parts of GPUs that a node hands out, as its device plugin was set up; Tessera cannot cut them otherwise. */
export interface PartsOffered {
  /** How many of each MIG profile there are, and the resource that counts them. */
  readonly mig: ReadonlyMap<string, { readonly resource: string; readonly count: number }>;
  /** Each GPU is handed out several times, in equal parts. */
  readonly shared?: { readonly mode: "mps" | "timeslice"; readonly replicas: number; readonly resource: string };
}

type Offering = Pick<Node, "metadata" | "status">;

/** What a node offers; a GPU that is cut or shared is not offered whole. */
export function partsOffered({ metadata, status }: Offering): PartsOffered {
  const { labels = {} } = metadata;
  const allocatable = status?.allocatable ?? {};
  const mig = new Map<string, { resource: string; count: number }>();
  for (const [resource, count] of Object.entries(allocatable)) {
    if (resource.startsWith(migPrefix)) mig.set(profileOf(resource), { resource, count: Number(count) });
  }
  // Where all GPUs of a node are cut alike, the device plugin may call the slices plain GPUs; the product tells.
  const only = /-MIG-(\d+g\.\d+gb(?:\.me)?)/.exec(labels[productLabel] ?? "")?.[1];
  if (only !== undefined) {
    mig.set(only.replace(".me", "+me"), { resource: gpuResource, count: Number(allocatable[gpuResource] ?? 0) });
  }
  const mode = sharingOf(labels[sharingLabel]);
  const replicas = replicasOf(labels);
  if (mode === undefined || replicas < 2) return { mig };
  return { mig, shared: { mode, replicas, resource: sharedResource in allocatable ? sharedResource : gpuResource } };
}

/** The ways in which a node hands out its GPUs. */
export function isolationOffered(node: Offering): ("whole" | "mig" | "mps" | "timeslice")[] {
  const { mig, shared } = partsOffered(node);
  const counted = node.status?.allocatable?.[gpuResource] ?? "0";
  const sliced = [...mig.values()].some(({ resource }) => resource === gpuResource);
  const whole = Number(counted) > 0 && shared === undefined && !sliced;
  return [
    ...(whole ? (["whole"] as const) : []),
    ...(mig.size > 0 ? (["mig"] as const) : []),
    ...(shared === undefined ? [] : [shared.mode]),
  ];
}

/** Into how many parts each GPU is shared; 1 = it is not. */
export function replicasOf(labels: Readonly<Record<string, string>>): number {
  const replicas = Number(labels[replicasLabel] ?? "1");
  return Number.isInteger(replicas) && replicas > 1 ? replicas : 1;
}

/** What a pod asks for, to get its part on this node. Throws MemberRefused where the node does not hand it out. */
export function partRequest(part: PartSeat, node: Offering): Readonly<Record<string, string>> {
  const { mig, shared } = partsOffered(node);
  const { name } = node.metadata;
  if (part.mode === "mig") {
    const found = part.profile === undefined ? undefined : mig.get(part.profile);
    if (found !== undefined && found.count > 0) return { [found.resource]: "1" };
    const instead = [...mig].map(([profile, { count }]) => `${count} of ${profile}`).join(", ");
    throw new MemberRefused(
      instead === ""
        ? `node ${name} offers no MIG slices; ask for whole GPUs, or have its GPUs cut with the MIG manager of the cluster`
        : `node ${name} has no MIG slice ${part.profile ?? "of this size"}; it is cut into ${instead}`,
    );
  }
  if (shared?.mode !== part.mode) {
    const how = part.mode === "mps" ? "by MPS" : "by time-slicing";
    throw new MemberRefused(
      `node ${name} does not share its GPUs ${how}; its device plugin ${shared === undefined ? "shares none" : `shares them by ${shared.mode}`}`,
    );
  }
  const share = unitsPerGpu / shared.replicas;
  if (isFar(part.compute, share) || isFar(part.memory, share)) {
    throw new MemberRefused(
      `node ${name} hands out each GPU in ${shared.replicas} equal parts; ask for ${round(1 / shared.replicas)} of a GPU, not ${round(Math.max(part.compute, part.memory) / unitsPerGpu)}`,
    );
  }
  return { [shared.resource]: "1" };
}

/** The CEL condition of a claim for one MIG slice of one GPU, as NVIDIA's DRA driver publishes them. */
export function migSelector(part: PartSeat, gpuUuid: string, driver: string): string {
  const attribute = (name: string) => `device.attributes["${driver}"].${name}`;
  return [
    `device.driver == "${driver}"`,
    `${attribute("type")} == "mig"`,
    `${attribute("profile")} == "${part.profile ?? ""}"`,
    `${attribute("parentUUID")} == "${gpuUuid}"`,
  ].join(" && ");
}

/** `nvidia.com/mig-1g.10gb.me` is the profile 1g.10gb+me: names of resources have no plus sign. */
function profileOf(resource: string): string {
  return resource.slice(migPrefix.length).replace(/\.me$/, "+me");
}

function sharingOf(strategy: string | undefined): "mps" | "timeslice" | undefined {
  if (strategy === "mps") return "mps";
  return strategy === "time-slicing" ? "timeslice" : undefined;
}

function isFar(units: number, share: number): boolean {
  return Math.abs(units - share) > tolerance * unitsPerGpu;
}

function round(share: number): string {
  return String(Math.round(share * 1000) / 1000);
}
