import type { ReadonlyFleet } from "../../fleet/readonly-fleet.ts";
import { enginesOf } from "../../gpu/engines.ts";
import type { NodeTest } from "../narrow.ts";
import type { GpuOffer } from "./workload.ts";

const known = new WeakMap<ReadonlyFleet, { readonly composition: number; readonly offers: readonly GpuOffer[] }>();

/** The models of a fleet, or of some nodes, with the values that sizing needs, in the order in which they joined. */
export function gpuOffers(fleet: ReadonlyFleet, isAsked?: NodeTest): readonly GpuOffer[] {
  if (isAsked !== undefined) return findOffers(fleet, isAsked);
  const last = known.get(fleet);
  if (last?.composition === fleet.composition) return last.offers;
  const offers = findOffers(fleet, () => true);
  known.set(fleet, { composition: fleet.composition, offers });
  return offers;
}

interface Seen {
  memoryMiB: number;
  gpusPerNode: number;
  parts: boolean;
  readonly byNvlink: Map<string, number>;
}

function findOffers(fleet: ReadonlyFleet, isAsked: NodeTest): GpuOffer[] {
  const seen = new Map<string, Seen>();
  for (const node of fleet.nodes) {
    if (node === undefined || !isAsked(node)) continue;
    const { gpus, place } = node.facts;
    const nvlink = `${place.region ?? ""}/${place.zone}/${place.block}/${place.rack}/${place.nvlink}`;
    const onNode = new Map<string, number>();
    for (const { model, memoryMiB } of gpus) {
      const found = seen.get(model) ?? { memoryMiB, gpusPerNode: 0, parts: false, byNvlink: new Map() };
      seen.set(model, found);
      onNode.set(model, (onNode.get(model) ?? 0) + 1);
      found.memoryMiB = Math.min(found.memoryMiB, memoryMiB);
      found.gpusPerNode = Math.max(found.gpusPerNode, onNode.get(model)!);
      found.parts ||= node.sharing.modes.length > 0;
      found.byNvlink.set(nvlink, (found.byNvlink.get(nvlink) ?? 0) + 1);
    }
  }
  return [...seen].map(([model, { memoryMiB, gpusPerNode, parts, byNvlink }]) => {
    const gpusPerNvlink = enginesOf(model)?.nvlink === false ? 1 : Math.max(...byNvlink.values());
    return { model, memoryMiB, gpusPerNode, gpusPerNvlink, parts };
  });
}
