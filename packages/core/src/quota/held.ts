import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { AccountNo, UserId } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";

/** Amounts of everything that can be held. */
export interface Held {
  units: number;
  /** By model number. */
  readonly byModel: number[];
  /** GPU memory, the second dimension of a GPU. */
  memoryUnits: number;
  /** By model number, GPU memory minus compute; not 0 only where parts are held. */
  readonly moreMemory: number[];
  cpusMilli: number;
  memoryMiB: number;
}

/** What an account's subtree holds now: held for claimants, starting, running, stopping, or not confirmed dead. */
export interface AccountUsage extends Held {
  /** The part of it that has been asked to stop. */
  readonly leaving: Held;
  /** The part of it that the guarantee of this account or of one below covers. */
  readonly covered: Held;
  /** The number of burst jobs in the subtree. */
  burst: number;
  /** Users with waiting jobs or with holdings; counted only where users have limits. */
  readonly users: Map<UserId, UserCount>;
}

/** The waiting jobs and the held GPU units of one user in an account's subtree, for limits per user. */
export interface UserCount {
  waiting: number;
  units: number;
}

export function nothingUsed(): AccountUsage {
  return { ...nothingHeld(), leaving: nothingHeld(), covered: nothingHeld(), burst: 0, users: new Map() };
}

export function nothingHeld(): Held {
  return { units: 0, byModel: [], memoryUnits: 0, moreMemory: [], cpusMilli: 0, memoryMiB: 0 };
}

const nothingCounted: Readonly<UserCount> = { waiting: 0, units: 0 };

export function userCount(usage: AccountUsage, user: UserId): Readonly<UserCount> {
  return usage.users.get(user) ?? nothingCounted;
}

/** What one member holds, or would hold. */
export type Holding = Pick<Lease, "gpus" | "unitsEach" | "part" | "cpusMilli" | "memoryMiB">;

/** Adds a holding to the amounts (`sign` 1), or subtracts it (-1). */
export function addTo(held: Held, fleet: ReadonlyFleet, holding: Holding, sign: 1 | -1): void {
  const { gpus, unitsEach, part, cpusMilli, memoryMiB } = holding;
  held.units += sign * unitsEach * gpus.length;
  held.memoryUnits += sign * (part?.memory ?? unitsEach) * gpus.length;
  held.cpusMilli += sign * cpusMilli;
  held.memoryMiB += sign * memoryMiB;
  for (const gpu of gpus) {
    const model = fleet.gpuModel[gpu] as number;
    while (held.byModel.length <= model) held.byModel.push(0);
    held.byModel[model]! += sign * unitsEach;
    if (part !== undefined && part.memory !== unitsEach)
      addAt(held.moreMemory, model, sign * (part.memory - unitsEach));
  }
}

/** Adds compute and memory of GPUs of one model to the amounts. */
export function addGpus(held: Held, model: number, units: number, memoryUnits: number): void {
  held.units += units;
  held.memoryUnits += memoryUnits;
  addAt(held.byModel, model, units);
  if (memoryUnits !== units) addAt(held.moreMemory, model, memoryUnits - units);
}

/** Adds the GPUs of other amounts (`sign` 1), or subtracts them (-1). */
export function addGpusOf(held: Held, other: Held, sign: 1 | -1): void {
  for (const [model, units] of other.byModel.entries())
    addGpus(held, model, sign * units, sign * (units + (other.moreMemory[model] ?? 0)));
}

function addAt(amounts: number[], at: number, more: number): void {
  while (amounts.length <= at) amounts.push(0);
  amounts[at]! += more;
}

/** The part of an account's usage that has not been asked to stop. */
export function stayingOf({ usage: all }: { readonly usage: readonly AccountUsage[] }, account: AccountNo): Held {
  const usage = all[account]!;
  const { leaving } = usage;
  if (leaving.units === 0 && leaving.cpusMilli === 0 && leaving.memoryMiB === 0) return usage;
  return minus(usage, leaving);
}

export function minus(a: Held, b: Held): Held {
  return {
    units: a.units - b.units,
    byModel: eachMinus(a.byModel, b.byModel),
    memoryUnits: a.memoryUnits - b.memoryUnits,
    moreMemory: eachMinus(a.moreMemory, b.moreMemory),
    cpusMilli: a.cpusMilli - b.cpusMilli,
    memoryMiB: a.memoryMiB - b.memoryMiB,
  };
}

function eachMinus(a: readonly number[], b: readonly number[]): number[] {
  const difference: number[] = [];
  for (let model = 0; model < a.length || model < b.length; model++) difference.push((a[model] ?? 0) - (b[model] ?? 0));
  return difference;
}

export function plus(a: Held, b: Held): Held {
  return minus(a, minus(nothingHeld(), b));
}

/** Held compute of the models that a name covers. */
export function unitsOf({ fleet }: { readonly fleet: ReadonlyFleet }, held: Held, name: string): number {
  if (name === "*") return held.units;
  let units = 0;
  for (const [model, own] of held.byModel.entries()) if (modelMatches(name, fleet.models[model]!)) units += own;
  return units;
}
