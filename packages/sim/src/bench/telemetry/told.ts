import type { GpuMetrics, GpuSample, MemberSample, Telemetry } from "@tessera/engine";

const metricNames = [
  ...["smActive", "tensorActive", "memoryActive", "encoderActive", "memoryUsedMiB", "memoryReservedMiB"],
  ...["powerMilliwatts", "energyMillijoules", "temperatureCelsius", "smClockMhz", "memoryClockMhz"],
  ...["throttleReasons", "pcieSent", "pcieReceived", "nvlinkSent", "nvlinkReceived"],
] as (keyof GpuMetrics)[];

/** What an engine said once, as numbers: so much of it as objects would keep the collector of garbage busy. */
export class Told {
  readonly #gpus: readonly Omit<GpuSample, "at" | "metrics">[];
  readonly #members: readonly MemberSample["lease"][];
  readonly #metrics: Float64Array;
  readonly #cpus: Float64Array;
  readonly #memory: Float64Array;

  /** `like` said the same of other times: its names are shared. */
  constructor({ gpus, members }: Telemetry, like?: Told) {
    this.#gpus = like
      ? like.#gpus
      : gpus.map(({ node, gpuUuid, instance, leases, source }) => ({
          ...{ node, gpuUuid, leases, source },
          ...(instance !== undefined && { instance }),
        }));
    this.#members = like ? like.#members : members.map(({ lease }) => lease);
    this.#metrics = new Float64Array(gpus.length * metricNames.length);
    for (const [index, { metrics }] of gpus.entries())
      for (const [place, name] of metricNames.entries())
        this.#metrics[index * metricNames.length + place] = metrics[name] ?? Number.NaN;
    this.#cpus = Float64Array.from(members, ({ cpusMilli = 0 }) => cpusMilli);
    this.#memory = Float64Array.from(members, ({ memoryMiB = 0 }) => memoryMiB);
  }

  at(at: number): Telemetry {
    return {
      gpus: this.#gpus.map((sample, index) => this.#sample(sample, index * metricNames.length, at)),
      members: this.#members.map((lease, index) => ({
        ...{ lease, at, cpusMilli: this.#cpus[index]!, memoryMiB: this.#memory[index]! },
      })),
    };
  }

  #sample(sample: Omit<GpuSample, "at" | "metrics">, from: number, at: number): GpuSample {
    const { node, gpuUuid, instance, leases, source } = sample;
    const value = (place: number) => {
      const known = this.#metrics[from + place]!;
      return Number.isNaN(known) ? undefined : known;
    };
    // Written out, as an engine does: there is one for each GPU every few seconds.
    const metrics: GpuMetrics = {
      smActive: value(0),
      tensorActive: value(1),
      memoryActive: value(2),
      encoderActive: value(3),
      memoryUsedMiB: value(4),
      memoryReservedMiB: value(5),
      powerMilliwatts: value(6),
      energyMillijoules: value(7),
      temperatureCelsius: value(8),
      smClockMhz: value(9),
      memoryClockMhz: value(10),
      throttleReasons: value(11),
      pcieSent: value(12),
      pcieReceived: value(13),
      nvlinkSent: value(14),
      nvlinkReceived: value(15),
    };
    const told = { node, gpuUuid, leases, source, at, metrics };
    return instance === undefined ? told : { ...told, instance };
  }
}
