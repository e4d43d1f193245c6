import { type Trust, trusts } from "../model/account.ts";
import type { Isolation } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { PartMode, PartSeat, Sharing } from "../model/part.ts";
import { unitsPerGpu } from "../model/units.ts";
import { keepsPromises, type Load } from "./latency.ts";
import { bestStart, type MigUse, smallestProfile, uncut, withInstance } from "./mig.ts";
import { type MigModel, type MigProfile, migModelOf } from "./mig-models.ts";

/** The holder of a part of a GPU, and the part. All occupants of one GPU have the same mode. */
export interface Occupant extends Load {
  readonly tenant: number;
  readonly trust: Trust;
  readonly group: string;
  readonly mode: PartMode;
  readonly compute: number;
  readonly memory: number;
  /** The start slot and the profile of a MIG instance. */
  readonly slot?: number;
  readonly profile?: string;
  readonly migWith?: readonly number[];
  readonly alone?: number;
}

/** The tenant of a part, with its rules for sharing. */
export interface PartTenant {
  readonly tenant: number;
  readonly trust: Trust;
  /** Trust group; "" = none. */
  readonly group: string;
  /** The tenants that this one allows beside it on a MIG GPU; decisive if one of the two is untrusted. */
  readonly migWith: readonly number[];
}

/** A job that looks for a part: its tenant, and its load on the GPU. */
export interface Newcomer extends PartTenant, Load {
  /** The number of the job, if it shares no MPS server with another [L3]. */
  readonly alone?: number;
}

/**
 * The requested part: a MIG profile, or amounts in units, or memory in MiB, which each device converts by its own size.
 * Of compute and memory, the one not requested (0) comes with the profile, or else is the same fraction as the other.
 */
export interface PartAsk {
  readonly profile?: string;
  readonly compute: number;
  readonly memory: number;
  readonly memoryMiB: number;
  readonly isolation: Isolation;
}

export interface PartDevice {
  readonly model: string;
  readonly memoryMiB: number;
  readonly sharing: Sharing;
}

/**
 * Why a device has no seat. `never`: it has none even if empty. `no-room`: too little is free. `isolation`: enough is
 * free, but the neighbours' trust or the present mode forbids it. `latency`: it would break the latency promise of the
 * newcomer or of a neighbour. `reserved`: enough is free, but for too short a time.
 */
export type NoSeat = "no-room" | "isolation" | "latency" | "never" | "reserved";

/** The most clients of one MPS server; newer drivers allow more, but 48 holds everywhere. */
export const mpsClientsMax = 48;

/**
 * A seat for a part of this GPU, or why there is none [P3, P5, P11]. An idle GPU of an `any` pool takes the strongest possible
 * isolation; a GPU in use keeps its mode. The caller excludes GPUs held whole and the nodes of confidential tenants.
 */
export function seatPart(
  device: PartDevice,
  occupants: readonly Occupant[],
  who: Newcomer,
  ask: PartAsk,
): PartSeat | NoSeat {
  const inUse = occupants[0]?.mode;
  const size = strongestSize(device, ask, inUse);
  if (size === undefined) {
    const other = inUse === undefined ? undefined : strongestSize(device, ask, undefined);
    if (other === undefined) return "never";
    return unitsAreLeft(occupants, other) ? "isolation" : "no-room";
  }
  if (!isTrusted(who, device)) return "isolation";
  const seat = fit(size, device, occupants);
  if (seat === undefined) return "no-room";
  for (const neighbour of occupants) if (!maySharePart(size.mode, who, neighbour)) return "isolation";
  return keepsPromises(size.mode, who, occupants) ? seat : "latency";
}

/**
 * Whether two tenants may share one GPU [S3]. The jobs of one tenant otherwise always may. Confidential tenants share with no
 * other; untrusted ones only by MIG and if each allows the other; trusted ones by MIG, or inside one trust group. By MPS
 * a job that is to be alone has only its own members beside it [L3].
 */
function maySharePart(mode: PartMode, who: Newcomer, other: Occupant): boolean {
  if (mode === "mps" && who.alone !== other.alone) return false;
  if (who.tenant === other.tenant) return true;
  if (who.trust === "confidential" || other.trust === "confidential") return false;
  const trusted = who.trust === "trusted" && other.trust === "trusted";
  if (mode !== "mig") return trusted && who.group !== "" && who.group === other.group;
  return trusted || (who.migWith.includes(other.tenant) && (other.migWith ?? []).includes(who.tenant));
}

/** Whether parts of a tenant may come to the pool of a device at all [P11]. */
export function isTrusted({ trust }: Pick<PartTenant, "trust">, { sharing }: Pick<PartDevice, "sharing">): boolean {
  return sharing.trust === undefined || trusts.indexOf(trust) >= trusts.indexOf(sharing.trust);
}

/** The size of a requested part on a device in one mode. */
interface PartSize {
  readonly mode: PartMode;
  readonly compute: number;
  readonly memory: number;
  readonly profile?: MigProfile;
}

/** The size in the strongest mode that the pool, the job and the model allow; if a mode is in use, in that one only. */
function strongestSize(device: PartDevice, ask: PartAsk, inUse: PartMode | undefined): PartSize | undefined {
  for (const mode of device.sharing.modes) {
    if (ask.isolation !== "any" && ask.isolation !== mode) continue;
    if (inUse !== undefined && inUse !== mode) continue;
    const size = sizeOf(mode, device, ask);
    if (size !== undefined) return size;
  }
  return undefined;
}

function sizeOf(mode: PartMode, device: PartDevice, ask: PartAsk): PartSize | undefined {
  if (mode === "mig") {
    const model = migModelOf(device.model, device.memoryMiB);
    if (model === undefined) return undefined;
    const profile =
      ask.profile === undefined
        ? smallestProfile(model, ask.compute, ask.memory, ask.memoryMiB)
        : model.profileByName.get(ask.profile);
    return profile === undefined ? undefined : { mode, compute: profile.compute, memory: profile.memory, profile };
  }
  if (ask.profile !== undefined) return undefined;
  const ratio = mode === "timeslice" ? device.sharing.ratio : 1;
  const byMiB = ask.memoryMiB === 0 ? 0 : Math.ceil((ask.memoryMiB * unitsPerGpu) / device.memoryMiB);
  const askedCompute = shareOf(ask.compute, ratio);
  const asked = Math.max(shareOf(ask.memory, ratio), byMiB);
  const compute = askedCompute || asked;
  const memory = asked || askedCompute;
  if (compute === 0) throw new Error("a part of a GPU must have compute, memory or a profile");
  return compute > unitsPerGpu || memory > unitsPerGpu ? undefined : { mode, compute, memory };
}

/**
 * What a fraction is of one GPU that is given out `ratio` times [U5]: memory that is asked for by its size is never less
 * than that, and nothing ever adds up to more than the GPU.
 */
export function shareOf(units: number, ratio: number): number {
  return units === 0 ? 0 : Math.max(1, Math.floor(units / ratio));
}

function fit(size: PartSize, device: PartDevice, occupants: readonly Occupant[]): PartSeat | undefined {
  const { mode, compute, memory, profile } = size;
  if (profile !== undefined) {
    const slot = bestSlot(device, occupants, profile);
    return slot === -1 ? undefined : { mode, compute, memory, slot, profile: profile.name };
  }
  if (mode === "mps" && occupants.length >= mpsClientsMax) return undefined;
  return unitsAreLeft(occupants, size) ? { mode, compute, memory } : undefined;
}

function bestSlot(device: PartDevice, occupants: readonly Occupant[], profile: MigProfile): number {
  const model = must(migModelOf(device.model, device.memoryMiB), "a profile was found on a model without MIG");
  return bestStart(model, migUseOf(device, model, occupants), profile);
}

/** The slices and engines that the occupants of a MIG GPU hold. */
export function migUseOf(device: PartDevice, model: MigModel, occupants: readonly Occupant[]): MigUse {
  let use = uncut;
  for (const { profile: name = "", slot = -1 } of occupants) {
    const held = model.profileByName.get(name);
    if (held === undefined) throw new Error(`${device.model} has no MIG profile "${name}", yet one is in use`);
    use = withInstance(model, use, held, slot);
  }
  return use;
}

// On a time-slice pool the replicas of a GPU are fractions of one GPU [U5]: oversubscribing it costs latency and adds no
// capacity, so the same sum bounds it.
function unitsAreLeft(occupants: readonly Occupant[], size: PartSize): boolean {
  let { compute, memory } = size;
  for (const each of occupants) {
    compute += each.compute;
    memory += each.memory;
  }
  return compute <= unitsPerGpu && memory <= unitsPerGpu;
}
