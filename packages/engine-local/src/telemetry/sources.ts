import { hasDriver } from "../inventory/nvidia.ts";
import { NvidiaSmi } from "./nvidia-smi.ts";
import { loadNvml } from "./nvml/koffi.ts";
import { NvmlSource } from "./nvml/source.ts";
import type { GpuSource } from "./source.ts";

/** Where this machine can be asked about its GPUs, the best first. Nothing is loaded before it is asked. */
export function gpuSources(): readonly GpuSource[] {
  return [new NvmlSource(loadDriver), new NvidiaSmi()];
}

function loadDriver() {
  if (!hasDriver()) throw new Error("no NVIDIA driver is loaded");
  return loadNvml();
}
