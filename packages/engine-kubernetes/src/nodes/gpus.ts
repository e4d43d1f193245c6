import type { NodeFacts } from "@tessera/core";
import { gpuModelOf, usualMemoryMiB } from "@tessera/engine";
import type { Device, Node, ResourceSlice } from "../api/types.ts";
import { mebibytes, quantity } from "./quantity.ts";

/** How a GPU is asked for: as one of many that a device plugin counts, or by its uuid through a claim. */
export type GpuSource =
  | { readonly kind: "plugin"; readonly resource: string }
  | {
      readonly kind: "claim";
      readonly driver: string;
      readonly pool: string;
      readonly device: string;
      readonly deviceClass: string;
    };

export interface FoundGpu {
  readonly gpu: NodeFacts["gpus"][number];
  readonly source: GpuSource;
  /** There, but the kubelet does not offer it. */
  readonly unhealthy: boolean;
}

const wholeResource = "nvidia.com/gpu";
/** What the device plugin may call GPUs that several pods share. */
const sharedResource = "nvidia.com/gpu.shared";
const migResource = /^nvidia\.com\/mig-(.+)$/;
const nvidiaDriver = "gpu.nvidia.com";

/** All GPUs of a node. What NVIDIA's DRA driver describes is not counted a second time by its device plugin. */
export function gpusOf(node: Node, slices: readonly ResourceSlice[]): FoundGpu[] {
  const claimed = slices.flatMap((slice) => devicesOf(slice));
  const described = slices.some(({ spec }) => spec.driver === nvidiaDriver);
  return described ? claimed : [...countedGpus(node), ...claimed];
}

/** GPUs of a device plugin have no names: they are numbered, and which one a pod gets is the kubelet's choice. */
function countedGpus({ metadata, status }: Node): FoundGpu[] {
  const { capacity = {}, allocatable = {} } = status ?? {};
  const labels = metadata.labels ?? {};
  return Object.keys({ ...capacity, ...allocatable })
    .filter((resource) => resource === wholeResource || resource === sharedResource || migResource.test(resource))
    .sort()
    .flatMap((resource) => {
      const offered = quantity(allocatable[resource]);
      const count = Math.max(quantity(capacity[resource]), offered);
      const { model, memoryMiB } = countedModel(resource, labels);
      return Array.from({ length: count }, (_, index) => ({
        gpu: { uuid: `${metadata.name}/${resource}/${index}`, model, memoryMiB },
        source: { kind: "plugin" as const, resource },
        unhealthy: index >= offered,
      }));
    });
}

function countedModel(
  resource: string,
  labels: Readonly<Record<string, string>>,
): { readonly model: string; readonly memoryMiB: number } {
  const product = labels["nvidia.com/gpu.product"]?.replace(/-(SHARED|MIG-.*)$/, "");
  const whole = product === undefined ? "GPU" : gpuModelOf(product);
  const profile = migResource.exec(resource)?.[1] ?? /-MIG-(.+)$/.exec(labels["nvidia.com/gpu.product"] ?? "")?.[1];
  if (profile !== undefined) {
    const said = Number(labels[`${resource}.memory`] ?? labels["nvidia.com/gpu.memory"]);
    return { model: `MIG-${profile}`, memoryMiB: said > 0 ? said : profileMemoryMiB(profile) };
  }
  const said = Number(labels["nvidia.com/gpu.memory"]);
  const memoryMiB = said > 0 ? said : usualMemoryMiB(whole);
  // A share of a GPU is not a GPU: it has a model of its own, which no job gets that asks for the whole one.
  const strategy = labels["nvidia.com/gpu.sharing-strategy"];
  if (strategy === "mps" || strategy === "time-slicing") return { model: `${strategy}-${whole}`, memoryMiB };
  return { model: whole, memoryMiB };
}

function devicesOf({ spec }: ResourceSlice): FoundGpu[] {
  if (!/^gpu\./.test(spec.driver)) return [];
  return (spec.devices ?? []).flatMap((device) => {
    const uuid = attribute(device, "uuid");
    if (uuid === undefined) return [];
    const mig = attribute(device, "type") === "mig";
    const profile = attribute(device, "profile");
    const product = attribute(device, "productName") ?? attribute(device, "model") ?? "GPU";
    const model = mig && profile !== undefined ? `MIG-${profile}` : gpuModelOf(product);
    const said = mebibytes(device.capacity?.memory?.value);
    return {
      gpu: { uuid, model, memoryMiB: said > 0 ? said : usualMemoryMiB(model) },
      source: {
        kind: "claim" as const,
        driver: spec.driver,
        pool: spec.pool.name,
        device: device.name,
        deviceClass: mig ? spec.driver.replace(/^gpu\./, "mig.") : spec.driver,
      },
      unhealthy: false,
    };
  });
}

function attribute({ attributes = {} }: Device, name: string): string | undefined {
  const found = attributes[name] ?? Object.entries(attributes).find(([key]) => key.endsWith(`/${name}`))?.[1];
  return found?.string;
}

/** `3g.40gb` has 40 GB. */
function profileMemoryMiB(profile: string): number {
  const gigabytes = Number(/\.(\d+)gb/.exec(profile)?.[1] ?? 5);
  return Math.floor((gigabytes * 1e9) / 2 ** 20);
}
