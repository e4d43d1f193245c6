import type { Account } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import { pathUp } from "./accounts.ts";
import type { Demand } from "./demand.ts";
import type { QuotaFacts } from "./facts.ts";
import { byEntry, entryFor } from "./guarantee.ts";
import type { Held } from "./held.ts";

/** The ceiling that a demand would exceed: its entry, its amount and what is held. */
export interface CeilingHit {
  readonly account: Account;
  readonly what: string;
  readonly maxUnits: number;
  readonly usedUnits: number;
}

/** The first ceiling on the path that the demand would exceed [C5]; cores and memory count like GPUs. */
export function ceilingHit(
  quotas: QuotaFacts,
  account: AccountNo,
  demand: Demand,
  heldBy?: (account: Account) => Held,
): CeilingHit | undefined {
  for (const each of pathUp(quotas, account)) {
    const { max, maxCpusMilli, maxMemoryMiB } = each.terms.quota;
    if (max === undefined && maxCpusMilli === undefined && maxMemoryMiB === undefined) continue;
    const held = heldBy === undefined ? quotas.usage[each.no]! : heldBy(each);
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
    const entry = entryFor(max, quotas.fleet.models[demand.model]!);
    if (entry === undefined) continue;
    for (const [of, more] of [["compute", demand.units] as const, ["memory", demand.memoryUnits] as const]) {
      const used = byEntry(quotas, held, max, undefined, of).get(entry) ?? 0;
      if (used + more > max[entry]!) return { account: each, what: entry, maxUnits: max[entry]!, usedUnits: used };
    }
  }
  return undefined;
}

/** The lowest ceiling for one model on an account's path, in units; a larger job can never run. */
export function lowestCeiling(
  quotas: QuotaFacts,
  account: AccountNo,
  model: string,
): { account: Account; units: number } | undefined {
  let lowest: { account: Account; units: number } | undefined;
  for (const each of pathUp(quotas, account)) {
    const { max } = each.terms.quota;
    if (max === undefined) continue;
    for (const key of [entryFor(max, model), "*"]) {
      const units = key === undefined ? undefined : max[key];
      if (units !== undefined && (lowest === undefined || units < lowest.units)) lowest = { account: each, units };
    }
  }
  return lowest;
}
