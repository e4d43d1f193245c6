import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { Account, GpuAmounts, Quota } from "../model/account.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import { pathUp } from "./accounts.ts";
import { type Demand, nothing } from "./demand.ts";
import type { Floor, QuotaFacts } from "./facts.ts";
import type { Held } from "./held.ts";

/** The entry of a quota for a model: the longest matching name [U2]; undefined if only `*` can match. */
export function entryFor(amounts: GpuAmounts, model: string): string | undefined {
  let best: string | undefined;
  for (const key in amounts) {
    if (key !== "*" && modelMatches(key, model) && (best === undefined || key.length > best.length)) best = key;
  }
  return best;
}

/** One of the two dimensions of a GPU [U1]. */
type GpuDimension = "compute" | "memory";

/** Held units by the entries of a quota; units without an entry are under undefined. */
export function byEntry(
  quotas: QuotaFacts,
  held: Held,
  amounts: GpuAmounts,
  add: Demand | undefined,
  of: GpuDimension,
) {
  const used = new Map<string | undefined, number>();
  const { models } = quotas.fleet;
  for (let model = 0; model < models.length; model++) {
    let units = held.byModel[model] ?? 0;
    if (of === "memory") units += held.moreMemory[model] ?? 0;
    if (add?.model === model) units += of === "memory" ? add.memoryUnits : add.units;
    if (units === 0) continue;
    const entry = entryFor(amounts, models[model]!);
    used.set(entry, (used.get(entry) ?? 0) + units);
  }
  return used;
}

/** GPU units beyond a guarantee by model [U2]: what exceeds each model's own entry must fit into `*`. */
function unitsBeyond(
  quotas: QuotaFacts,
  held: Held,
  guarantee: GpuAmounts,
  add: Demand | undefined,
  of: GpuDimension,
): number {
  const any = guarantee["*"] ?? 0;
  let overflow = 0;
  for (const [entry, units] of byEntry(quotas, held, guarantee, add, of)) {
    overflow += Math.max(0, units - (entry === undefined ? 0 : guarantee[entry]!));
  }
  return Math.max(0, overflow - any);
}

/** The guarantee of an account, summed up; kept until the guarantee or the fleet changes. */
export function floorOf(quotas: QuotaFacts, account: Account): Floor {
  const known = quotas.floors[account.no];
  const { quota } = account.terms;
  if (known !== undefined && known.of === quota && known.composition === quotas.fleet.composition) return known;
  const floor = sumUp(quota, quotas.fleet);
  quotas.floors[account.no] = floor;
  return floor;
}

function sumUp(quota: Quota, { composition, totals }: ReadonlyFleet): Floor {
  const { gpuUnits, cpusMilli, memoryMiB } = totals;
  let units = 0;
  let plain = true;
  for (const model in quota.guarantee) {
    units += quota.guarantee[model]!;
    plain &&= model === "*";
  }
  // Cores and memory without a guarantee of their own are guaranteed in proportion to the GPUs, by the fleet's ratio.
  const inProportion = (total: number) => (gpuUnits === 0 ? 0 : Math.floor((total / gpuUnits) * units));
  return {
    of: quota,
    composition,
    units,
    cpusMilli: quota.guaranteeCpusMilli ?? inProportion(cpusMilli),
    memoryMiB: quota.guaranteeMemoryMiB ?? inProportion(memoryMiB),
    plain,
  };
}

/** Amounts held beyond a guarantee, in each dimension. */
interface Borrowed {
  readonly units: number;
  readonly memoryUnits: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** What an account would borrow if it held `held` plus `add`. */
export function borrowedOf(quotas: QuotaFacts, account: Account, held: Held, add?: Demand): Borrowed {
  const floor = floorOf(quotas, account);
  return {
    units: unitsOver(quotas, account, floor, held, add),
    memoryUnits: memoryOver(quotas, account, floor, held, add),
    cpusMilli: Math.max(0, held.cpusMilli + (add?.cpusMilli ?? 0) - floor.cpusMilli),
    memoryMiB: Math.max(0, held.memoryMiB + (add?.memoryMiB ?? 0) - floor.memoryMiB),
  };
}

function unitsOver(quotas: QuotaFacts, account: Account, floor: Floor, held: Held, add: Demand | undefined): number {
  if (floor.plain) return Math.max(0, held.units + (add?.units ?? 0) - floor.units);
  return unitsBeyond(quotas, held, account.terms.quota.guarantee, add, "compute");
}

function memoryOver(quotas: QuotaFacts, account: Account, floor: Floor, held: Held, add: Demand | undefined): number {
  if (floor.plain) return Math.max(0, held.memoryUnits + (add?.memoryUnits ?? 0) - floor.units);
  return unitsBeyond(quotas, held, account.terms.quota.guarantee, add, "memory");
}

/** Whether an account that held `held` plus `add` would borrow nothing. */
export function isWithin(quotas: QuotaFacts, account: Account, held: Held, add: Demand = nothing): boolean {
  const floor = floorOf(quotas, account);
  return (
    held.memoryUnits + add.memoryUnits <= floor.units &&
    held.cpusMilli + add.cpusMilli <= floor.cpusMilli &&
    held.memoryMiB + add.memoryMiB <= floor.memoryMiB &&
    unitsOver(quotas, account, floor, held, add) === 0 &&
    (floor.plain || memoryOver(quotas, account, floor, held, add) === 0)
  );
}

export function isNothing(borrowed: Borrowed): boolean {
  return borrowed.units === 0 && borrowed.memoryUnits === 0 && borrowed.cpusMilli === 0 && borrowed.memoryMiB === 0;
}

/** The lowest account on the path that has room for the whole demand inside its guarantee [C1]; `noAccount` = burst. */
export function coverFor(
  quotas: QuotaFacts,
  account: AccountNo,
  demand: Demand,
  heldBy?: (account: Account) => Held,
): AccountNo {
  for (const each of pathUp(quotas, account)) {
    const held = heldBy === undefined ? quotas.usage[each.no]! : heldBy(each);
    if (isWithin(quotas, each, held, demand)) return each.no;
  }
  return noAccount;
}
