import { unitsPerGpu } from "@tessera/core";

/** An instant as the wire shows it. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

/** MiB as people write them: `64GiB`. */
export function sizeText(mebibytes: number): string {
  if (mebibytes > 0 && mebibytes % 1_048_576 === 0) return `${mebibytes / 1_048_576}TiB`;
  if (mebibytes > 0 && mebibytes % 1024 === 0) return `${mebibytes / 1024}GiB`;
  return `${mebibytes}MiB`;
}

export function gpusOf(units: number): number {
  return units / unitsPerGpu;
}
