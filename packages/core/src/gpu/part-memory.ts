import type { PartSeat } from "../model/part.ts";
import { unitsPerGpu } from "../model/units.ts";
import { migModelOf } from "./mig-models.ts";

/** The memory of a part on a device, in MiB: what the driver lists for a MIG profile, else its share, rounded down. */
export function partMemoryMiB(
  { model, memoryMiB }: { readonly model: string; readonly memoryMiB: number },
  { memory, profile }: Pick<PartSeat, "memory" | "profile">,
): number {
  const listed =
    profile === undefined ? undefined : migModelOf(model, memoryMiB)?.profileByName.get(profile)?.memoryMiB;
  return listed ?? Math.floor((memory * memoryMiB) / unitsPerGpu);
}
