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
const mebibyteInGib = 1 / 1024;
const kibibyteInMegabytes = 1024 / 1e6;
const kilowattHour = 3.6e12; // in milliwatts x milliseconds

export const drawn: { readonly [Metric in StoredMetric]: Drawn } = {
  activity: { columns: ["sm"], as: "mean", scale: perCent },
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

/** Writes what a sample says into `into` from `at` on, in the order of the columns. */
export function packMetrics(
  metrics: GpuMetrics,
  energyMilliwatts: number,
  apart: number,
  into: Int32Array,
  at: number,
) {
  const used = metrics.memoryUsedMiB;
  into[at] = whole(metrics.smActive);
  into[at + 1] = whole(metrics.tensorActive);
  into[at + 2] = whole(metrics.memoryActive);
  into[at + 3] = whole(metrics.encoderActive);
  into[at + 4] = whole(used, apart);
  into[at + 5] = whole(used);
  into[at + 6] = whole(metrics.memoryReservedMiB, apart);
  into[at + 7] = whole(metrics.powerMilliwatts);
  into[at + 8] = energyMilliwatts;
  into[at + 9] = whole(metrics.temperatureCelsius);
  into[at + 10] = whole(metrics.smClockMhz);
  into[at + 11] = whole(metrics.memoryClockMhz);
  into[at + 12] = metrics.throttleReasons === undefined ? absent : metrics.throttleReasons & 0x7fff_ffff;
  into[at + 13] = whole(metrics.pcieSent, 1 / kib);
  into[at + 14] = whole(metrics.pcieReceived, 1 / kib);
  into[at + 15] = whole(metrics.nvlinkSent, 1 / kib);
  into[at + 16] = whole(metrics.nvlinkReceived, 1 / kib);
  into[at + 17] = absent;
  into[at + 18] = absent;
}

/** A value of a column; values beyond 32 bits are as good as not measured. */
export function whole(value: number | undefined, scale = 1): number {
  if (value === undefined) return absent;
  const scaled = Math.round(value * scale);
  return Math.abs(scaled) <= 0x7fff_ffff ? scaled : absent;
}
