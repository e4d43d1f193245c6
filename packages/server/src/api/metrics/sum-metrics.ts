import type { Holding } from "../../flow/activity/holding.ts";
import { Sum } from "../../flow/activity/sum.ts";
import { gpusOf } from "../../render/quantities.ts";
import type { MetricsText } from "./metrics-text.ts";

/** What some GPUs that are held come to, under these labels. */
export interface SumLine {
  readonly labels: string;
  readonly sum: Sum;
}

const mebibyte = 1024 * 1024;

type Family = readonly [name: string, help: string, value: (sum: Sum) => number | undefined];

const held: Family = ["gpus", "GPUs held; parts of a GPU count as parts.", ({ units }) => gpusOf(units)];

const measures: readonly Family[] = [
  [
    "measured_gpus",
    "GPUs held that have a measurement of their own. What was not measured has no value in the metrics beside it.",
    ({ measuredUnits }) => gpusOf(measuredUnits),
  ],
  [
    "busy_gpus",
    "GPUs held and measured, each times the share of its compute units that were busy.",
    ({ measuredUnits, busyUnits }) => (measuredUnits === 0 ? undefined : gpusOf(busyUnits)),
  ],
  [
    "idle_gpus",
    "GPUs held and measured that are less than 5 % busy.",
    ({ measuredUnits, idleUnits }) => (measuredUnits === 0 ? undefined : gpusOf(idleUnits)),
  ],
  [
    "gpu_memory_used_bytes",
    "Memory in use on the GPUs held.",
    ({ memoryUsedMiB }) => (memoryUsedMiB === undefined ? undefined : memoryUsedMiB * mebibyte),
  ],
  [
    "gpu_memory_bytes",
    "Memory of the GPUs held that say how much of it is in use.",
    ({ memoryUsedMiB, memoryMiB }) => (memoryUsedMiB === undefined ? undefined : memoryMiB * mebibyte),
  ],
  [
    "gpu_power_watts",
    "Power that the GPUs held draw.",
    ({ powerMilliwatts }) => (powerMilliwatts === undefined ? undefined : powerMilliwatts / 1_000),
  ],
];

/** Holdings added up by what these labels say of them. */
export function sumsBy(holdings: readonly Holding[], labelsOf: (holding: Holding) => string): SumLine[] {
  const sums = new Map<string, Sum>();
  for (const holding of holdings) {
    const labels = labelsOf(holding);
    const sum = sums.get(labels) ?? new Sum();
    sums.set(labels, sum);
    sum.add(holding);
  }
  return [...sums].map(([labels, sum]) => ({ labels, sum }));
}

/** What is held, and what was measured of it. */
export function writeSums(out: MetricsText, prefix: string, lines: readonly SumLine[]): void {
  writeFamily(out, prefix, lines, held);
  writeMeasures(out, prefix, lines);
}

/** What was measured: one line for each sum; a figure that was not measured has no line. */
export function writeMeasures(out: MetricsText, prefix: string, lines: readonly SumLine[]): void {
  for (const family of measures) writeFamily(out, prefix, lines, family);
}

function writeFamily(out: MetricsText, prefix: string, lines: readonly SumLine[], [name, help, read]: Family): void {
  const metric = `${prefix}_${name}`;
  out.family(metric, "gauge", help);
  for (const { labels, sum } of lines) {
    const value = read(sum);
    if (value !== undefined) out.value(metric, labels, value);
  }
}
