import { unitsPerGpu } from "@tessera/core";

/** An instant as the wire shows it. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

export function gpusOf(units: number): number {
  return units / unitsPerGpu;
}
