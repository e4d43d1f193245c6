import type { HeldPart, PartOffer, PoolShape, SharingShape } from "@tessera/wire";
import type { Paint } from "../terminal.ts";
import { fieldsText } from "./fields.ts";
import { memoryText, numberText } from "./gpus.ts";

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

/** The size of a part: `mig 1g.10gb, 9.75 GiB`, or `timeslice 0.0625, 4.98 GiB`. */
export function partText({ mode, profile, share, memoryMiB }: HeldPart): string {
  return `${mode} ${profile ?? share}, ${memoryText(memoryMiB)}`;
}

/** What parts of GPUs would be, and what would hold each limit of them; empty for whole GPUs. */
export function partsText(parts: readonly PartOffer[] | undefined, paint: Paint): string {
  if (parts === undefined || parts.length === 0) return "";
  const each = parts.map((part) => {
    const limits = fieldsText(Object.entries(part.limits), paint, "    ");
    return `  ${part.model} by ${partText(part)} of GPU memory\n${limits}`;
  });
  return `\n${paint("bold", "Parts of GPUs, and what holds their limits")}\n${each.join("")}`;
}
