import { must } from "../model/must.ts";
import { isBursty, promisesOn } from "./latency.ts";
import { migModelOf } from "./mig-models.ts";
import { migUseOf, mpsClientsMax, type Occupant, type PartDevice, type PartTenant } from "./seat.ts";

/**
 * Everything that `seatPart` reads of a GPU in use, of a known model, as text. For GPUs with equal keys it gives every
 * newcomer the same answer about room, and those for which `isAlikeFor` holds the same answer about neighbours. Trusted
 * tenants are left out where MIG separates them: they are many, and nearly every job may sit beside any of them.
 */
export function alikeKey(device: PartDevice, occupants: readonly Occupant[]): string {
  const { mode } = must(occupants[0], "a GPU without occupants has no key");
  let compute = 0;
  let memory = 0;
  for (const each of occupants) {
    compute += each.compute;
    memory += each.memory;
  }
  const key = `${device.sharing.key} ${device.memoryMiB} ${mode} ${compute} ${memory}`;
  if (mode !== "mig") {
    const { total, spare } = promisesOn(mode, occupants);
    const isMixed = occupants.some((each) => isBursty(each) !== isBursty(occupants[0]!));
    const loads = `${total} ${spare} ${isMixed || isBursty(occupants[0]!)} ${isMixed}`;
    return `${key} ${mode === "mps" && occupants.length >= mpsClientsMax} ${loads} ${neighbours(occupants)}`;
  }
  const model = must(migModelOf(device.model, device.memoryMiB), "a GPU cut by MIG is of a model with MIG");
  const { slots, media } = migUseOf(device, model, occupants);
  return `${key} ${slots} ${media} ${areTrusted(occupants) ? "" : neighbours(occupants)}`;
}

/** Whether the neighbours on all GPUs with the key of these occupants are equal for a newcomer. */
export function isAlikeFor(who: PartTenant, occupants: readonly Occupant[]): boolean {
  return who.trust === "trusted" || occupants[0]!.mode !== "mig" || !areTrusted(occupants);
}

function areTrusted(occupants: readonly Occupant[]): boolean {
  return occupants.every(({ trust }) => trust === "trusted");
}

function neighbours(occupants: readonly Occupant[]): string {
  const each = occupants.map(({ tenant, trust, group, migWith, alone }) =>
    JSON.stringify([tenant, trust, group, migWith, alone]),
  );
  return [...new Set(each)].sort().join();
}
