import { hour, unitsPerGpu } from "@tessera/core";

/** An instant as the wire shows it. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

/** One GPU for one hour, as the core counts it. */
export const gpuHourUnitMs = unitsPerGpu * hour;

export function gpusOf(units: number): number {
  return units / unitsPerGpu;
}
