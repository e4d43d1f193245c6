import { type PartSeat, unitsPerGpu } from "@tessera/core";

/** What a part may use of its GPU's memory. */
export function partMemoryMiB({ memory }: Pick<PartSeat, "memory">, gpuMemoryMiB: number): number {
  return Math.floor((gpuMemoryMiB * memory) / unitsPerGpu);
}

/** The share of the GPU's threads that a part may use at a time, in whole per cent. */
export function threadPercentage({ compute }: Pick<PartSeat, "compute">): number {
  return Math.min(100, Math.max(1, Math.round((100 * compute) / unitsPerGpu)));
}

/** What tells the driver inside the job which server to use, and how much of the GPU is its. */
export function clientEnvironment(
  pipe: string,
  limits: { readonly threads: number; readonly memoryMiB: number },
): { readonly [name: string]: string } {
  return {
    CUDA_MPS_PIPE_DIRECTORY: pipe,
    CUDA_MPS_ACTIVE_THREAD_PERCENTAGE: String(limits.threads),
    // The server knows one GPU, so that is its first.
    CUDA_MPS_PINNED_DEVICE_MEM_LIMIT: `0=${limits.memoryMiB}M`,
  };
}
