import type { Account, GpuAmounts, Quota } from "../model/account.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { pathUp, type State } from "../state/state.ts";
import type { Held } from "./usage.ts";
import { modelMatches } from "../submit/gpus.ts";

/** What a job would hold on top of what an account holds. */
export interface Demand {
  /** Model number in the fleet; -1 without GPUs. */
  readonly model: number;
  readonly units: number;
  readonly memoryUnits: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** The entry of a quota that a model falls under: its own name before a family's; `*` is not an entry of its own. */
function entryFor(amounts: GpuAmounts, model: string): string | undefined {
  let best: string | undefined;
  for (const key in amounts) {
    if (key !== "*" && modelMatches(key, model) && (best === undefined || key.length > best.length)) best = key;
  }
  return best;
}

/** One of the two dimensions of a GPU [U1]. */
type GpuDimension = "compute" | "memory";

/** Units under each entry of a quota; those that fall under none are under undefined. */
function byEntry(state: State, held: Held, amounts: GpuAmounts, add: Demand | undefined, of: GpuDimension) {
  const used = new Map<string | undefined, number>();
  const { models } = state.fleet;
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

/** GPU units beyond a guarantee by model [U2]: what each model's own entry does not hold must fit into `*`. */
function unitsBeyond(
  state: State,
  held: Held,
  guarantee: GpuAmounts,
  add: Demand | undefined,
  of: GpuDimension,
): number {
  const any = guarantee["*"] ?? 0;
  let overflow = 0;
  for (const [entry, units] of byEntry(state, held, guarantee, add, of)) {
    overflow += Math.max(0, units - (entry === undefined ? 0 : guarantee[entry]!));
  }
  return Math.max(0, overflow - any);
}

/** A guarantee as amounts are compared with it: summed up, with the cores and memory that come with its GPUs. */
export interface Floor {
  readonly of: Quota;
  /** The makeup of the fleet for which it was summed up. */
  readonly makeup: number;
  readonly units: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** Only `*`: all models are alike. */
  readonly plain: boolean;
}

/** The guarantee of an account, summed up once for as long as neither it nor the fleet changes. */
export function floorOf(state: State, account: Account): Floor {
  const known = state.floors[account.no];
  const { quota } = account.terms;
  if (known !== undefined && known.of === quota && known.makeup === state.fleet.makeup) return known;
  const floor = sumUp(quota, state.fleet);
  state.floors[account.no] = floor;
  return floor;
}

function sumUp(quota: Quota, { makeup, totals }: Fleet): Floor {
  const { gpuUnits, cpusMilli, memoryMiB } = totals;
  let units = 0;
  let plain = true;
  for (const model in quota.guarantee) {
    units += quota.guarantee[model]!;
    plain &&= model === "*";
  }
  // A floor that says nothing of cores or memory brings as much of them as the fleet has for each GPU.
  const inProportion = (total: number) => (gpuUnits === 0 ? 0 : Math.floor((total / gpuUnits) * units));
  return {
    of: quota,
    makeup,
    units,
    cpusMilli: quota.guaranteeCpusMilli ?? inProportion(cpusMilli),
    memoryMiB: quota.guaranteeMemoryMiB ?? inProportion(memoryMiB),
    plain,
  };
}

/** What is held beyond a guarantee, in each dimension. */
export interface Borrowed {
  readonly units: number;
  readonly memoryUnits: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** What an account would borrow if it held `held` and `add`. */
export function borrowedOf(state: State, account: Account, held: Held, add?: Demand): Borrowed {
  const floor = floorOf(state, account);
  return {
    units: unitsOver(state, account, floor, held, add),
    memoryUnits: memoryOver(state, account, floor, held, add),
    cpusMilli: Math.max(0, held.cpusMilli + (add?.cpusMilli ?? 0) - floor.cpusMilli),
    memoryMiB: Math.max(0, held.memoryMiB + (add?.memoryMiB ?? 0) - floor.memoryMiB),
  };
}

function unitsOver(state: State, account: Account, floor: Floor, held: Held, add: Demand | undefined): number {
  if (floor.plain) return Math.max(0, held.units + (add?.units ?? 0) - floor.units);
  return unitsBeyond(state, held, account.terms.quota.guarantee, add, "compute");
}

function memoryOver(state: State, account: Account, floor: Floor, held: Held, add: Demand | undefined): number {
  if (floor.plain) return Math.max(0, held.memoryUnits + (add?.memoryUnits ?? 0) - floor.units);
  return unitsBeyond(state, held, account.terms.quota.guarantee, add, "memory");
}

/** Whether an account that held `held` and `add` would borrow nothing. */
export function isWithin(state: State, account: Account, held: Held, add: Demand = nothing): boolean {
  const floor = floorOf(state, account);
  return (
    held.memoryUnits + add.memoryUnits <= floor.units &&
    held.cpusMilli + add.cpusMilli <= floor.cpusMilli &&
    held.memoryMiB + add.memoryMiB <= floor.memoryMiB &&
    unitsOver(state, account, floor, held, add) === 0 &&
    (floor.plain || memoryOver(state, account, floor, held, add) === 0)
  );
}

/** No demand at all. */
export const nothing: Demand = { model: -1, units: 0, memoryUnits: 0, cpusMilli: 0, memoryMiB: 0 };

export function isNothing(borrowed: Borrowed): boolean {
  return borrowed.units === 0 && borrowed.memoryUnits === 0 && borrowed.cpusMilli === 0 && borrowed.memoryMiB === 0;
}

/** GPU units that an account holds beyond its guarantee now. */
export function borrowedUnits(state: State, account: Account): number {
  return unitsOver(state, account, floorOf(state, account), state.usage[account.no]!, undefined);
}

/** The lowest account on the path that holds the demand inside its guarantee [C1]; `noAccount` = burst. */
export function coverFor(
  state: State,
  account: AccountNo,
  demand: Demand,
  heldBy?: (account: Account) => Held,
): AccountNo {
  for (const each of pathUp(state, account)) {
    const held = heldBy === undefined ? state.usage[each.no]! : heldBy(each);
    if (isWithin(state, each, held, demand)) return each.no;
  }
  return noAccount;
}

/** Room left under one entry of a ceiling. */
export interface CeilingHit {
  readonly account: Account;
  readonly what: string;
  readonly maxUnits: number;
  readonly usedUnits: number;
}

/** The first ceiling on the path that the demand would break [C5]; CPU and memory count like GPUs. */
export function ceilingHit(
  state: State,
  account: AccountNo,
  demand: Demand,
  heldBy?: (account: Account) => Held,
): CeilingHit | undefined {
  for (const each of pathUp(state, account)) {
    const { max, maxCpusMilli, maxMemoryMiB } = each.terms.quota;
    if (max === undefined && maxCpusMilli === undefined && maxMemoryMiB === undefined) continue;
    const held = heldBy === undefined ? state.usage[each.no]! : heldBy(each);
    if (maxCpusMilli !== undefined && held.cpusMilli + demand.cpusMilli > maxCpusMilli)
      return { account: each, what: "cpus", maxUnits: maxCpusMilli, usedUnits: held.cpusMilli };
    if (maxMemoryMiB !== undefined && held.memoryMiB + demand.memoryMiB > maxMemoryMiB)
      return { account: each, what: "memory", maxUnits: maxMemoryMiB, usedUnits: held.memoryMiB };
    if (max === undefined || demand.units === 0) continue;
    const total = max["*"];
    if (total !== undefined && held.units + demand.units > total)
      return { account: each, what: "*", maxUnits: total, usedUnits: held.units };
    // One number bounds both dimensions of a GPU [U1].
    if (total !== undefined && held.memoryUnits + demand.memoryUnits > total)
      return { account: each, what: "*", maxUnits: total, usedUnits: held.memoryUnits };
    const entry = entryFor(max, state.fleet.models[demand.model]!);
    if (entry === undefined) continue;
    for (const [of, more] of [["compute", demand.units] as const, ["memory", demand.memoryUnits] as const]) {
      const used = byEntry(state, held, max, undefined, of).get(entry) ?? 0;
      if (used + more > max[entry]!) return { account: each, what: entry, maxUnits: max[entry]!, usedUnits: used };
    }
  }
  return undefined;
}

/** The tightest ceiling for one model on an account and above, in units; used to tell what can never run. */
export function lowestCeiling(
  state: State,
  account: AccountNo,
  model: string,
): { account: Account; units: number } | undefined {
  let lowest: { account: Account; units: number } | undefined;
  for (const each of pathUp(state, account)) {
    const { max } = each.terms.quota;
    if (max === undefined) continue;
    for (const key of [entryFor(max, model), "*"]) {
      const units = key === undefined ? undefined : max[key];
      if (units !== undefined && (lowest === undefined || units < lowest.units)) lowest = { account: each, units };
    }
  }
  return lowest;
}

/** What is held of the models of a name. */
export function unitsOf({ fleet }: State, held: Held, name: string): number {
  if (name === "*") return held.units;
  let units = 0;
  for (const [model, own] of held.byModel.entries()) if (modelMatches(name, fleet.models[model]!)) units += own;
  return units;
}

/** What an account holds, or would. */
export type HeldBy = (account: AccountNo) => Held;

/**
 * GPU units that must stay free for others beside a job that would borrow [C5]; 0 = what is free by `freeOf` holds them.
 * Counted over all GPUs, and over those of each name by which guarantees are kept that its model falls under.
 */
export function unlentBeside(
  state: State,
  viewer: AccountNo,
  demand: Demand,
  freeOf: (name: string) => number,
  heldBy?: HeldBy,
): number {
  if (state.lendingLimits === 0 || demand.units === 0) return 0;
  for (const name of namesKept(state, demand.model)) {
    const unlent = unlentUnits(state, viewer, heldBy, name);
    if (unlent > 0 && freeOf(name) - demand.units < unlent) return unlent;
  }
  return 0;
}

/** `*`, and the names in guarantees of those who do not lend all that a model falls under. */
export function namesKept(state: State, model: number): string[] {
  const names = ["*"];
  for (const name of state.lendingNames.keys())
    if (name !== "*" && modelMatches(name, state.fleet.models[model]!)) names.push(name);
  return names;
}

/**
 * Units of idle guarantees, of one name or of all, that outsiders may not use [C5], seen from an account: of each account
 * outside its path the larger of its own and the sum of its children's.
 */
export function unlentUnits(
  state: State,
  viewer: AccountNo,
  heldBy: HeldBy = (account) => state.usage[account]!,
  name = "*",
): number {
  if (state.lendingLimits === 0) return 0;
  const path = new Set<AccountNo>();
  for (const account of pathUp(state, viewer)) path.add(account.no);
  const reserved = (no: AccountNo): number => {
    const account = state.accounts[no]!;
    let below = 0;
    for (const child of account.children) below += reserved(child);
    if (path.has(no) || account.parent === noAccount) return below;
    const { guarantee, lendable } = account.terms.quota;
    if (lendable === undefined) return below;
    const idle = idleOf(state, floorOf(state, account), heldBy(no), guarantee);
    return Math.max(below, name === "*" ? sum(idle) - sum(lendable) : keptOf(idle, lendable, name));
  };
  return reserved(0 as AccountNo);
}

/** What is not used of a guarantee, by its entries. */
function idleOf(state: State, floor: Floor, held: Held, guarantee: GpuAmounts): GpuAmounts {
  if (floor.plain) return { "*": Math.max(0, floor.units - held.units) };
  const used = byEntry(state, held, guarantee, undefined, "compute");
  const idle: Record<string, number> = {};
  let overflow = used.get(undefined) ?? 0;
  for (const entry in guarantee) {
    if (entry === "*") continue;
    const left = guarantee[entry]! - (used.get(entry) ?? 0);
    idle[entry] = Math.max(0, left);
    overflow += Math.max(0, -left);
  }
  idle["*"] = Math.max(0, (guarantee["*"] ?? 0) - overflow);
  return idle;
}

/** What is not lent of what is idle under one name: what is lent of any model may be of these. */
function keptOf(idle: GpuAmounts, lendable: GpuAmounts, name: string): number {
  const lent = new Map<string | undefined, number>();
  for (const entry in idle) {
    if (entry === "*" || !modelMatches(name, entry)) continue;
    const from = entryFor(lendable, entry);
    lent.set(from, (lent.get(from) ?? 0) + idle[entry]!);
  }
  let kept = 0;
  for (const [from, units] of lent) kept += Math.max(0, units - (from === undefined ? 0 : lendable[from]!));
  return Math.max(0, kept - (lendable["*"] ?? 0));
}

function sum(amounts: GpuAmounts): number {
  let units = 0;
  for (const key in amounts) units += amounts[key]!;
  return units;
}
