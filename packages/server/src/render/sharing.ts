import { type FleetNode, type ReadonlyState, unitsPerGpu } from "@tessera/core";
import type { SharingShape } from "@tessera/wire";

/** How some GPUs of a node are shared, and how much of them is given out; nothing where whole GPUs only are. */
export function renderSharing(
  { fleet }: Pick<ReadonlyState, "fleet">,
  { sharing }: FleetNode,
  gpus: readonly number[],
): { sharing?: SharingShape } {
  const { mode, ratio, trust } = sharing;
  if (mode === "whole") return {};
  let given = 0;
  for (const gpu of gpus) {
    const parts = fleet.occupants(gpu);
    // A share was rounded down to whole units: rounded again it is what was asked for.
    if (parts.length > 0) for (const part of parts) given += asAsked(part.compute * ratio, ratio);
    else if (fleet.gpuFree[gpu]! < unitsPerGpu) given += ratio;
  }
  const of = gpus.length * ratio;
  given = Math.min(Math.round(given * 1_000) / 1_000, of);
  return { sharing: { mode, ...(ratio > 1 && { ratio }), ...(trust !== undefined && { trust }), given, of } };
}

function asAsked(units: number, ratio: number): number {
  return ratio === 1 ? units / unitsPerGpu : Math.round((units * 1_000) / unitsPerGpu) / 1_000;
}
