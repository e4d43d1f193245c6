import type { PoolShape, SharingShape } from "@tessera/wire";
import { numberText } from "./gpus.ts";

export const modeWords: Readonly<Record<NonNullable<PoolShape["mode"]>, string>> = {
  any: "any, as each idle GPU is needed",
  whole: "whole GPUs only",
  mig: "parts by MIG",
  mps: "parts by MPS",
  timeslice: "parts by time slices",
};

/** How GPUs are shared and how much is given out: `timeslice 1.5/4`; empty for whole GPUs only. */
export function sharesText(sharing: SharingShape | undefined): string {
  return sharing === undefined ? "" : `${sharing.mode} ${numberText(sharing.given)}/${sharing.of}`;
}

/** The same in words. */
export function sharesSentence(sharing: SharingShape | undefined): string | undefined {
  if (sharing === undefined) return undefined;
  const { mode, ratio, trust, given, of } = sharing;
  const times = ratio === undefined ? "" : `, given out ${ratio} times`;
  const whose = trust === undefined ? "" : `, to ${trust} tenants`;
  return `${modeWords[mode]}${times}${whose}: ${numberText(given)} of ${of} given out`;
}
