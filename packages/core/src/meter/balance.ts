import type { Instant } from "../model/units.ts";
import type { DeviceChange } from "./device-timeline.ts";

/** Part of a GPU that was in one state from `fromAt` to `toAt`. */
export interface DeviceUse {
  readonly state: string;
  readonly units: number;
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

/** Where the capacity of the fleet went, in unit-milliseconds: capacity is the sum of all the others. */
export interface FleetBalance {
  readonly capacity: bigint;
  readonly leased: bigint;
  readonly dedicated: bigint;
  readonly scrub: bigint;
  readonly reshape: bigint;
  readonly idle: bigint;
  readonly stranded: bigint;
  readonly held: bigint;
  readonly down: bigint;
  readonly maintenance: bigint;
  /** Capacity less everything else. Anything but 0 is a fault of the meter or of the fleet's counters. */
  readonly difference: bigint;
}

const usedParts = ["leased", "dedicated", "scrub", "reshape"] as const;
const freeParts = ["idle", "stranded", "held", "down", "maintenance"] as const;

/** A device at the store: the change, and a mode that is read back as text. */
type StoredChange = Omit<DeviceChange, "mode"> & { readonly mode: string };

/**
 * Balances the fleet between two instants (S10). The two sides are made independently, so that their agreement proves
 * something:
 * - `used` comes from the leases: which GPUs a lease names, and the instants at which it entered and left its states.
 * - `devices` comes from the fleet: its counters of free units, which change when seats are taken and given back, and
 *   the modes of its nodes. It knows no state of a lease and no duration.
 * A stretch that is missing, doubled, too short, too long or of the wrong size makes a difference, and so does a
 * counter that is wrong. No part is computed as the remainder of the others.
 *
 * `devices` is sorted by device, then by time; of several changes at one instant the last counts.
 */
export function balanceOf(
  devices: readonly StoredChange[],
  used: readonly DeviceUse[],
  span: { readonly from: Instant; readonly to: Instant },
): FleetBalance {
  const sums = { capacity: 0n, leased: 0n, dedicated: 0n, scrub: 0n, reshape: 0n, ...noneFree };
  for (const use of used) sums[usedAs(use)] += unitMsIn(use, span);
  for (const [i, change] of devices.entries()) {
    const next = devices[i + 1];
    const stretch = { fromAt: change.at, toAt: next?.gpu === change.gpu ? next.at : span.to };
    sums.capacity += unitMsIn({ ...stretch, units: change.capacityUnits }, span);
    // The free units of a dedicated node are among `used`: its tenant has them.
    if (change.mode !== "dedicated") sums[freeAs(change)] += unitMsIn({ ...stretch, units: change.freeUnits }, span);
  }
  let difference = sums.capacity;
  for (const part of [...usedParts, ...freeParts]) difference -= sums[part];
  return { ...sums, difference };
}

const noneFree = { idle: 0n, stranded: 0n, held: 0n, down: 0n, maintenance: 0n };

/** Unit-milliseconds of a stretch between two instants. */
export function unitMsIn(
  { units, fromAt, toAt }: Pick<DeviceUse, "units" | "fromAt" | "toAt">,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): bigint {
  const ms = Math.min(toAt, to) - Math.max(fromAt, from);
  return ms <= 0 ? 0n : BigInt(ms) * BigInt(units);
}

function usedAs({ state }: DeviceUse): (typeof usedParts)[number] {
  return usedParts.find((part) => part === state) ?? "leased";
}

/** Free units of a node that is up, cordoned or draining are idle. */
function freeAs({ mode }: StoredChange): (typeof freeParts)[number] {
  return freeParts.find((part) => part === mode) ?? "idle";
}
