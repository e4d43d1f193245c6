import type { GpuMetrics, TelemetrySource } from "@tessera/engine";

/** A GPU, or an instance of one, as a source sees it. */
export interface GpuReading {
  readonly gpuUuid: string;
  /** The uuid of the MIG instance. */
  readonly instance?: string;
  /** Where the values of this one mean something else than those of the source: its own name for them. */
  readonly source?: TelemetrySource;
  readonly metrics: GpuMetrics;
}

/** A process that holds memory of a GPU, under the number that it has on this machine. */
export interface GpuProcess {
  readonly pid: number;
  readonly memoryMiB: number;
}

export interface Reading {
  readonly gpus: readonly GpuReading[];
  readonly processes: readonly GpuProcess[];
}

/** Something on this machine that knows what its GPUs do. */
export interface GpuSource {
  readonly name: TelemetrySource;
  /** What each did since the call before. Throws when it does not answer. */
  read(): Promise<Reading>;
  /** Closes devices that it has open, so that they can be reset or cut; the next call opens them again. */
  letGo?(): void;
}
