import type { LeaseId } from "@tessera/core";

/** What measured it. `virtual` and `simulated`: there is no hardware behind it. */
export type TelemetrySource = "dcgm" | "nvml" | "nvml-raw" | "nvidia-smi" | "simulated" | "virtual";

/** What a GPU did since the sample before it. A value that the source does not know is absent, never 0 [S35]. */
export interface GpuMetrics {
  /** Shares of the time since the last sample, in ten-thousandths. */
  readonly smActive?: number;
  readonly tensorActive?: number;
  readonly memoryActive?: number;
  readonly encoderActive?: number;
  readonly memoryUsedMiB?: number;
  /** Of the driver itself. */
  readonly memoryReservedMiB?: number;
  readonly powerMilliwatts?: number;
  /** Since the driver was loaded. */
  readonly energyMillijoules?: number;
  readonly temperatureCelsius?: number;
  readonly smClockMhz?: number;
  readonly memoryClockMhz?: number;
  /** Why its clocks are lower than they could be: the driver's bits. */
  readonly throttleReasons?: number;
  /** Bytes a second. */
  readonly pcieSent?: number;
  readonly pcieReceived?: number;
  readonly nvlinkSent?: number;
  readonly nvlinkReceived?: number;
}

/** One whole GPU, or one MIG instance of it. */
export interface GpuSample {
  readonly node: string;
  readonly gpuUuid: string;
  /** The uuid of the MIG instance. */
  readonly instance?: string;
  /** The leases that hold it, as its engine knows them; none = no lease does. */
  readonly leases: readonly LeaseId[];
  readonly at: number;
  readonly source: TelemetrySource;
  readonly metrics: GpuMetrics;
}

/** What the processes of one member did since the sample before it. */
export interface MemberSample {
  readonly lease: LeaseId;
  readonly at: number;
  /** Thousandths of a core. */
  readonly cpusMilli?: number;
  readonly memoryMiB?: number;
  /** Bytes a second. */
  readonly read?: number;
  readonly written?: number;
  /** Memory that its processes hold on its GPUs, where the driver says so by process. */
  readonly gpuMemoryMiB?: number;
}

export interface Telemetry {
  readonly gpus: readonly GpuSample[];
  readonly members: readonly MemberSample[];
}
