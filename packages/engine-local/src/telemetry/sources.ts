import { hasDriver } from "../inventory/nvidia.ts";
import type { FullLoads } from "../part/full-load.ts";
import { DcgmExporter } from "./dcgm.ts";
import { NvidiaSmi } from "./nvidia-smi.ts";
import { loadNvml } from "./nvml/koffi.ts";
import type { Nvml } from "./nvml/library.ts";
import { instanceNames } from "./nvml/names.ts";
import { NvmlSource } from "./nvml/source.ts";
import type { GpuSource } from "./source.ts";

/**
 * Where this machine can be asked about its GPUs, the best first: an exporter that its owner runs anyway, the library of the
 * driver, its tool. Nothing is loaded before it is asked.
 */
export function gpuSources(dcgm: string | undefined, fullLoads: FullLoads): readonly GpuSource[] {
  let library: Nvml | undefined;
  const load = () => {
    if (!hasDriver()) throw new Error("no NVIDIA driver is loaded");
    library ??= loadNvml();
    return library;
  };
  const exporter = dcgm === undefined ? [] : [new DcgmExporter(dcgm, async () => instanceNames(load()))];
  return [...exporter, new NvmlSource(load, fullLoads), new NvidiaSmi()];
}

/** Says what is wrong with the address of an exporter. Only this machine is asked: what answers is believed. */
export function dcgmFault(address: string): string | undefined {
  const url = URL.parse(address);
  const isHere = url !== null && /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname);
  if (url?.protocol === "http:" && isHere) return undefined;
  return `dcgm ${address}: give the address of a DCGM exporter on this machine, such as http://127.0.0.1:9400/metrics`;
}
