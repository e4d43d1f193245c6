import type { PoolShape, SharingShape } from "@tessera/wire";
import { spellNumber } from "./numbers.ts";

export const modeWords: Readonly<Record<NonNullable<PoolShape["mode"]>, string>> = {
  any: "any mode",
  whole: "whole GPUs",
  mig: "MIG",
  mps: "MPS",
  timeslice: "time slices",
};

/** How GPUs are shared and how much is given out: `time slices: 1.5 of 4 given out`. */
export function spellSharing({ mode, given, of }: SharingShape): string {
  return `${modeWords[mode]}: ${spellNumber(given)} of ${of} given out`;
}
