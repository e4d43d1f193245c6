import type { Account, GpuAmounts } from "../model/account.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import { pathUp, type State } from "../state/state.ts";
import { modelMatches } from "../submit/gpus.ts";

/** GPUs that would come on top of what an account holds. */
export interface Addition {
  /** Model number in the fleet. */
  readonly model: number;
  readonly units: number;
}

/** The entry of a quota that a model falls under: its own name before a family's; `*` is not an entry of its own. */
function entryFor(amounts: GpuAmounts, model: string): string | undefined {
  let best: string | undefined;
  for (const key in amounts) {
    if (key !== "*" && modelMatches(key, model) && (best === undefined || key.length > best.length)) best = key;
  }
  return best;
}

function usedByEntry(state: State, account: AccountNo, amounts: GpuAmounts, add: Addition | undefined) {
  const used = new Map<string | undefined, number>();
  const { byModel } = state.usage[account]!;
  const { models } = state.fleet;
  for (let model = 0; model < models.length; model++) {
    const units = (byModel[model] ?? 0) + (add?.model === model ? add.units : 0);
    if (units === 0) continue;
    const entry = entryFor(amounts, models[model]!);
    used.set(entry, (used.get(entry) ?? 0) + units);
  }
  return used;
}

/** Units held beyond the guarantee: what each model's own entry does not hold must fit into `*`. */
export function borrowedUnits(state: State, account: Account, add?: Addition): number {
  const { guarantee } = account.terms.quota;
  let overflow = 0;
  for (const [entry, units] of usedByEntry(state, account.no, guarantee, add)) {
    overflow += Math.max(0, units - (entry === undefined ? 0 : guarantee[entry]!));
  }
  return Math.max(0, overflow - (guarantee["*"] ?? 0));
}

/** The lowest account on the path that holds the addition inside its guarantee; `noAccount` = burst. */
export function coverFor(state: State, account: AccountNo, add: Addition): AccountNo {
  for (const each of pathUp(state, account)) {
    if (borrowedUnits(state, each, add) === 0) return each.no;
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

/** The first ceiling on the path that the addition would break; CPU and memory count like GPUs. */
export function ceilingHit(
  state: State,
  account: AccountNo,
  add: Addition,
  cpusMilli: number,
  memoryMiB: number,
): CeilingHit | undefined {
  for (const each of pathUp(state, account)) {
    const { max, maxCpusMilli, maxMemoryMiB } = each.terms.quota;
    const usage = state.usage[each.no]!;
    const hit = (what: string, maxUnits: number, usedUnits: number): CeilingHit => ({
      account: each,
      what,
      maxUnits,
      usedUnits,
    });
    if (maxCpusMilli !== undefined && usage.cpusMilli + cpusMilli > maxCpusMilli)
      return hit("cpus", maxCpusMilli, usage.cpusMilli);
    if (maxMemoryMiB !== undefined && usage.memoryMiB + memoryMiB > maxMemoryMiB)
      return hit("memory", maxMemoryMiB, usage.memoryMiB);
    if (max === undefined || add.units === 0) continue;
    const total = max["*"];
    if (total !== undefined && usage.units + add.units > total) return hit("*", total, usage.units);
    const entry = entryFor(max, state.fleet.models[add.model]!);
    if (entry === undefined) continue;
    const used = usedByEntry(state, each.no, max, undefined).get(entry) ?? 0;
    if (used + add.units > max[entry]!) return hit(entry, max[entry]!, used);
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
