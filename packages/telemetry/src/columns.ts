import type { GpuMetrics } from "@tessera/engine";
import type { StoredMetric } from "./port.ts";

/**
 * How rows become one row, for several GPUs at one time as for one GPU over time. `mean`: by GPU time, so that values
 * stay those of one GPU; `sum`: of what was there at one time; `max`; `bits`: every bit that was ever set.
 */
export type Merging = "mean" | "sum" | "max" | "bits";

/** What a row measured: whole numbers of 32 bits. */
export const metricColumns = {
  sm: "mean",
  tensor: "mean",
  memoryActive: "mean",
  encoder: "mean",
  memoryUsedMiB: "mean",
  memoryPeakMiB: "max",
  memoryReservedMiB: "mean",
  powerMilliwatts: "mean",
  /** The mean power by the counter of energy, which misses no peak between two samples. */
  energyMilliwatts: "mean",
  temperature: "mean",
  smClock: "mean",
  memoryClock: "mean",
  throttle: "bits",
  pcieSentKiB: "mean",
  pcieReceivedKiB: "mean",
  nvlinkSentKiB: "mean",
  nvlinkReceivedKiB: "mean",
  cpusMilli: "sum",
  memoryMiB: "sum",
} as const satisfies { readonly [name: string]: Merging };
export type MetricColumn = keyof typeof metricColumns;
export const metricNames = Object.keys(metricColumns) as MetricColumn[];

/**
 * What every row has. `at`: the end of its stretch; `span`: its length; `ms`: how much of that was sampled; `share`: the mean
 * of what was held, in 21,000ths of a GPU; `active` and `idle`: the part of it with a measured activity, and with one below
 * the limit.
 */
export const frameNames = ["at", "span", "ms", "share", "active", "idle"] as const;
export type FrameColumn = (typeof frameNames)[number];

/** Not measured. No source knows this value. */
export const absent = -0x8000_0000;

/** How a metric of the wire is made of columns. `total`: over the GPUs; `integral`: over GPUs and time. */
export interface Drawn {
  readonly columns: readonly MetricColumn[];
  readonly as: "mean" | "total" | "integral" | "sum";
  /** What one unit of the column is in the unit of the wire. */
  readonly scale: number;
}

const perCent = 1 / 100;
/** The whole activity of a GPU. */
const busyGpu = 1 / 10_000;
const mebibyteInGib = 1 / 1024;
const kibibyteInMegabytes = 1024 / 1e6;
const kilowattHour = 3.6e12; // in milliwatts x milliseconds

export const drawn: { readonly [Metric in StoredMetric]: Drawn } = {
  activity: { columns: ["sm"], as: "mean", scale: perCent },
  busy: { columns: ["sm"], as: "total", scale: busyGpu },
  tensor: { columns: ["tensor"], as: "mean", scale: perCent },
  memory_activity: { columns: ["memoryActive"], as: "mean", scale: perCent },
  encoder: { columns: ["encoder"], as: "mean", scale: perCent },
  memory_used: { columns: ["memoryUsedMiB"], as: "total", scale: mebibyteInGib },
  power: { columns: ["powerMilliwatts"], as: "total", scale: 1 / 1000 },
  energy: { columns: ["energyMilliwatts"], as: "integral", scale: 1 / kilowattHour },
  temperature: { columns: ["temperature"], as: "mean", scale: 1 },
  clock: { columns: ["smClock"], as: "mean", scale: 1 },
  pcie: { columns: ["pcieSentKiB", "pcieReceivedKiB"], as: "total", scale: kibibyteInMegabytes },
  nvlink: { columns: ["nvlinkSentKiB", "nvlinkReceivedKiB"], as: "total", scale: kibibyteInMegabytes },
  cpu: { columns: ["cpusMilli"], as: "sum", scale: 1 / 1000 },
  memory: { columns: ["memoryMiB"], as: "sum", scale: mebibyteInGib },
};

const kib = 1024;

/** Writes what a sample says into row `at` of the columns, which are in their order. */
export function packMetrics(
  metrics: GpuMetrics,
  energyMilliwatts: number,
  apart: number,
  into: readonly Int32Array[],
  at: number,
): void {
  const used = metrics.memoryUsedMiB;
  into[0]![at] = whole(metrics.smActive);
  into[1]![at] = whole(metrics.tensorActive);
  into[2]![at] = whole(metrics.memoryActive);
  into[3]![at] = whole(metrics.encoderActive);
  into[4]![at] = whole(used, apart);
  into[5]![at] = whole(used);
  into[6]![at] = whole(metrics.memoryReservedMiB, apart);
  into[7]![at] = whole(metrics.powerMilliwatts);
  into[8]![at] = energyMilliwatts;
  into[9]![at] = whole(metrics.temperatureCelsius);
  into[10]![at] = whole(metrics.smClockMhz);
  into[11]![at] = whole(metrics.memoryClockMhz);
  into[12]![at] = metrics.throttleReasons === undefined ? absent : metrics.throttleReasons & 0x7fff_ffff;
  into[13]![at] = whole(metrics.pcieSent, 1 / kib);
  into[14]![at] = whole(metrics.pcieReceived, 1 / kib);
  into[15]![at] = whole(metrics.nvlinkSent, 1 / kib);
  into[16]![at] = whole(metrics.nvlinkReceived, 1 / kib);
}

/** A value of a column; values beyond 32 bits are as good as not measured. */
export function whole(value: number | undefined, scale = 1): number {
  if (value === undefined) return absent;
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) <= 0x7fff_ffff ? scaled : absent;
}
