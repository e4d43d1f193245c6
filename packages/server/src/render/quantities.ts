import { day, hour, minute, second, unitsPerGpu } from "@tessera/core";

/** An instant as the wire shows it. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

const durationUnits: readonly (readonly [string, number])[] = [
  ["d", day],
  ["h", hour],
  ["m", minute],
  ["s", second],
  ["ms", 1],
];

/** Milliseconds as people write them: `1h30m`. */
export function durationText(ms: number): string {
  let text = "";
  let rest = ms;
  for (const [name, size] of durationUnits) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${name}`;
    rest -= count * size;
  }
  return text === "" ? "0s" : text;
}

/** MiB as people write them: `64GiB`. */
export function sizeText(mebibytes: number): string {
  if (mebibytes > 0 && mebibytes % 1_048_576 === 0) return `${mebibytes / 1_048_576}TiB`;
  if (mebibytes > 0 && mebibytes % 1024 === 0) return `${mebibytes / 1024}GiB`;
  return `${mebibytes}MiB`;
}

/** One GPU for one hour, as the core counts it. */
export const gpuHourUnitMs = unitsPerGpu * hour;

export function gpusOf(units: number): number {
  return units / unitsPerGpu;
}
