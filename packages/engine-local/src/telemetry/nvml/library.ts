/** A device, an instance of one, or a sample, as the library names it while it is open. */
export type Handle = bigint;

export interface NvmlProcess {
  readonly pid: number;
  readonly bytes: number;
}

/**
 * What we use of the driver's library (NVML). Values that a device does not tell are undefined; only what makes all others
 * impossible throws.
 */
export interface Nvml {
  /** To be called before anything else, and again after `close`. A GPU that no program uses takes seconds to wake up. */
  open(): Promise<void>;
  close(): void;
  devices(): Promise<readonly Handle[]>;
  uuid(device: Handle): string | undefined;
  memory(device: Handle): { readonly used: number; readonly reserved: number } | undefined;
  milliwatts(device: Handle): number | undefined;
  /** Since the driver was loaded. */
  millijoules(device: Handle): number | undefined;
  celsius(device: Handle): number | undefined;
  clockMhz(device: Handle, of: "sm" | "memory"): number | undefined;
  throttleReasons(device: Handle): number | undefined;
  /** Per cent of the time in which anything ran, and in which memory was read or written. */
  utilization(device: Handle): { readonly gpu: number; readonly memory: number } | undefined;
  encoder(device: Handle): number | undefined;
  /** Bytes a second. It watches for 20 ms, elsewhere. */
  pcie(device: Handle, way: "sent" | "received"): Promise<number | undefined>;
  processes(device: Handle): readonly NvmlProcess[];
  isCut(device: Handle): boolean;
  instances(device: Handle): readonly Handle[];
  /** The number of the GPU instance in which this instance lies. */
  gpuInstance(instance: Handle): number | undefined;
  /** Whether its performance can be sampled (GPM: Hopper and later). */
  canSample(device: Handle): boolean;
  newSample(): Handle | undefined;
  freeSample(sample: Handle): void;
  /** Takes a sample of a device, or of one GPU instance of it. */
  take(sample: Handle, device: Handle, gpuInstance?: number): boolean;
  /** What happened between two samples, by the number of the metric. */
  between(from: Handle, to: Handle, metrics: readonly number[]): ReadonlyMap<number, number>;
}

/** Numbers of GPM: per cent, and MiB a second. */
export const gpm = {
  sm: 2,
  tensor: 5,
  memory: 10,
  pcieSent: 20,
  pcieReceived: 21,
  nvlinkReceived: 60,
  nvlinkSent: 61,
} as const;
