import type { NodeCondition, NodeFacts, NodeOffers } from "@tessera/core";
import type { Node, ResourceSlice } from "../api/types.ts";
import type { KubernetesSettings } from "../settings.ts";
import { type ForeignUse, noUse } from "./foreign.ts";
import { type FoundGpu, type GpuSource, gpusOf } from "./gpus.ts";
import { mebibytes, milli } from "./quantity.ts";

/** A node as the scheduler sees it, and how each of its GPUs is asked for. */
export interface NodeView {
  readonly facts: NodeFacts;
  readonly sources: ReadonlyMap<string, GpuSource>;
}

export interface NodeSurroundings {
  readonly engine: string;
  readonly settings: KubernetesSettings;
  readonly offers: NodeOffers;
  readonly slices: readonly ResourceSlice[];
  readonly foreign: ForeignUse | undefined;
  /** Devices that claims of others hold, as `driver/pool/device`. */
  readonly claimed: ReadonlySet<string>;
}

/** Set on a node that this control plane cordoned, with the reason. */
export const cordonAnnotation = "tessera.dev/cordoned";

const labelsMax = 64;

export function viewOf(node: Node, around: NodeSurroundings): NodeView {
  const { metadata, status } = node;
  const foreign = around.foreign ?? noUse;
  const found = gpusOf(node, around.slices);
  const condition = conditionOf(node);
  const withheld = withheldOf(found, foreign, around.claimed);
  const facts: NodeFacts = {
    name: metadata.name,
    engine: around.engine,
    place: placeOf(node, around),
    gpus: found.map(({ gpu }) => gpu),
    cpusMilli: Math.max(1, milli(status?.allocatable?.cpu) - foreign.cpusMilli),
    memoryMiB: Math.max(1, mebibytes(status?.allocatable?.memory) - Math.ceil(foreign.memoryBytes / 2 ** 20)),
    virtual: metadata.annotations?.["kwok.x-k8s.io/node"] !== undefined,
    bootId: status?.nodeInfo?.bootID || metadata.uid || metadata.name,
    address: status?.addresses?.find(({ type }) => type === "InternalIP")?.address || metadata.name,
    labels: labelsOf(metadata.labels ?? {}),
    offers: around.offers,
    ...(condition !== undefined && { condition }),
    ...(withheld.length > 0 && { withheld }),
  };
  return { facts, sources: new Map(found.map(({ gpu, source }) => [gpu.uuid, source])) };
}

function placeOf({ metadata }: Node, { engine, settings }: NodeSurroundings): NodeFacts["place"] {
  const labels = metadata.labels ?? {};
  const region = labels["topology.kubernetes.io/region"];
  const zone = labels["topology.kubernetes.io/zone"] ?? engine;
  const block = labels[settings.blockLabel ?? ""] ?? zone;
  const rack = labels[settings.rackLabel ?? ""] ?? block;
  const nvlink = labels["nvidia.com/gpu.clique"] || metadata.name;
  return { ...(region !== undefined && { region }), zone, block, rack, nvlink };
}

/** Which GPUs others use or the kubelet does not offer. Those of a plugin have no names: the last ones stand for them. */
function withheldOf(found: readonly FoundGpu[], foreign: ForeignUse, claimed: ReadonlySet<string>): string[] {
  const inUse = new Map(Object.entries(foreign.devices));
  const withheld: string[] = [];
  for (const { gpu, source, unhealthy } of found.toReversed()) {
    if (source.kind === "claim") {
      if (claimed.has(`${source.driver}/${source.pool}/${source.device}`)) withheld.push(gpu.uuid);
      continue;
    }
    const used = inUse.get(source.resource) ?? 0;
    if (!unhealthy && used <= 0) continue;
    if (!unhealthy) inUse.set(source.resource, used - 1);
    withheld.push(gpu.uuid);
  }
  return withheld.toReversed();
}

/** Taints that say no more than the conditions do, and those that Tessera sets for its tenants. */
const knownTaint = /^(node\.kubernetes\.io\/|tessera\.dev\/|nvidia\.com\/gpu$)/;

function conditionOf({ metadata, spec, status }: Node): NodeCondition | undefined {
  if (metadata.deletionTimestamp !== undefined) return { state: "cordoned", reason: "the node is being removed" };
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status !== "True") {
    const said = ready?.message || ready?.reason || "its kubelet has not reported";
    return { state: "unknown", reason: `not ready: ${said}` };
  }
  if (spec?.unschedulable && metadata.annotations?.[cordonAnnotation] === undefined) {
    return { state: "cordoned", reason: "cordoned in the cluster" };
  }
  const taint = spec?.taints?.find(({ key, effect }) => effect !== "PreferNoSchedule" && !knownTaint.test(key));
  if (taint === undefined) return undefined;
  const value = taint.value ? `=${taint.value}` : "";
  return { state: "cordoned", reason: `taint ${taint.key}${value}:${taint.effect}` };
}

/** Labels that people choose nodes by; times would make every look a change. */
function labelsOf(labels: Readonly<Record<string, string>>): { readonly [key: string]: string } {
  const useful = Object.entries(labels).filter(
    ([key, value]) =>
      value !== "" && key.length <= 253 && value.length <= 63 && !/timestamp|^beta\.kubernetes\.io\//.test(key),
  );
  return Object.fromEntries(useful.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, labelsMax));
}
