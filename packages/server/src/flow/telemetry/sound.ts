import type { GpuMetrics } from "@tessera/engine";

/** What a sensor can say. Beyond it the value is a mistake of the source, and as good as not measured. */
const ranges: { readonly [Name in keyof Required<GpuMetrics>]: readonly [number, number] } = {
  smActive: [0, 10_000],
  tensorActive: [0, 10_000],
  memoryActive: [0, 10_000],
  encoderActive: [0, 10_000],
  memoryUsedMiB: [0, 10_000_000],
  memoryReservedMiB: [0, 10_000_000],
  powerMilliwatts: [0, 10_000_000],
  energyMillijoules: [0, Number.MAX_SAFE_INTEGER],
  temperatureCelsius: [-50, 250],
  smClockMhz: [0, 20_000],
  memoryClockMhz: [0, 50_000],
  throttleReasons: [0, Number.MAX_SAFE_INTEGER],
  pcieSent: [0, 1e12],
  pcieReceived: [0, 1e12],
  nvlinkSent: [0, 1e13],
  nvlinkReceived: [0, 1e13],
};
const names = Object.keys(ranges) as (keyof GpuMetrics)[];
const cpusMilliMax = 10_000_000;
const memoryMiBMax = 1_000_000_000;

/** The metrics without what cannot be; `dropped` counts it. Sound ones come back as they are. */
export function soundMetrics(metrics: GpuMetrics): { readonly metrics: GpuMetrics; readonly dropped: number } {
  let dropped = 0;
  for (const name of names) if (isWrong(metrics, name)) dropped++;
  if (dropped === 0) return { metrics, dropped };
  const sound = names.filter((name) => metrics[name] !== undefined && !isWrong(metrics, name));
  return { metrics: Object.fromEntries(sound.map((name) => [name, metrics[name]])), dropped };
}

function isWrong(metrics: GpuMetrics, name: keyof GpuMetrics): boolean {
  const value = metrics[name];
  if (value === undefined) return false;
  const [least, most] = ranges[name];
  return !isWithin(value, least, most);
}

export const isCores = (value: unknown): value is number => isWithin(value, 0, cpusMilliMax);
export const isMemory = (value: unknown): value is number => isWithin(value, 0, memoryMiBMax);

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && value >= least && value <= most;
}
