import { isBursty, promisesOn } from "./latency.ts";
import { migModelOf } from "./mig-models.ts";
import { migUseOf, mpsClientsMax, type Occupant, type PartDevice, type PartTenant } from "./seat.ts";

/**
 * What `seatPart` looks at of a GPU of a known model that is in use, as text: of GPUs with equal keys it says the same
 * about room to everyone, and about neighbours to everyone for whom they are `isAlikeFor`. Tenants who trust each other
 * are left out where MIG keeps them apart, since they are many and nearly everyone may sit beside any of them.
 */
export function alikeKey(device: PartDevice, occupants: readonly Occupant[]): string {
  const { mode } = occupants[0]!;
  let compute = 0;
  let memory = 0;
  for (const each of occupants) {
    compute += each.compute;
    memory += each.memory;
  }
  const key = `${device.pool} ${device.memoryMiB} ${mode} ${compute} ${memory}`;
  if (mode !== "mig") {
    const { total, spare } = promisesOn(mode, occupants);
    const isMixed = occupants.some((each) => isBursty(each) !== isBursty(occupants[0]!));
    const loads = `${total} ${spare} ${isMixed || isBursty(occupants[0]!)} ${isMixed}`;
    return `${key} ${mode === "mps" && occupants.length >= mpsClientsMax} ${loads} ${neighbours(occupants)}`;
  }
  const { slots, media } = migUseOf(device, migModelOf(device.model, device.memoryMiB)!, occupants);
  return `${key} ${slots} ${media} ${areTrusted(occupants) ? "" : neighbours(occupants)}`;
}

/** Whether neighbours on all GPUs with the key of these occupants mean the same to someone. */
export function isAlikeFor(who: PartTenant, occupants: readonly Occupant[]): boolean {
  return who.trust === "trusted" || occupants[0]!.mode !== "mig" || !areTrusted(occupants);
}

function areTrusted(occupants: readonly Occupant[]): boolean {
  return occupants.every(({ trust }) => trust === "trusted");
}

function neighbours(occupants: readonly Occupant[]): string {
  const each = occupants.map(({ tenant, trust, group, migWith }) => JSON.stringify([tenant, trust, group, migWith]));
  return [...new Set(each)].sort().join();
}
