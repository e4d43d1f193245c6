import type { GpuAmounts } from "../model/account.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import { pathUp } from "./accounts.ts";
import type { Demand } from "./demand.ts";
import type { Floor, QuotaFacts } from "./facts.ts";
import { byEntry, entryFor, floorOf } from "./guarantee.ts";
import type { Held } from "./held.ts";

/** What an account holds, or would hold. */
export type HeldBy = (account: AccountNo) => Held;

/**
 * GPU units that must stay free for other accounts beside a burst start [C5]; 0 = the free units by `freeOf` suffice.
 * Counted over all GPUs, and again over the GPUs of each name in such a guarantee that covers the job's model.
 */
export function unlentBeside(
  quotas: QuotaFacts,
  viewer: AccountNo,
  demand: Demand,
  freeOf: (name: string) => number,
  heldBy?: HeldBy,
): number {
  if (quotas.lendingLimits === 0 || demand.units === 0) return 0;
  for (const name of namesKept(quotas, demand.model)) {
    const unlent = unlentUnits(quotas, viewer, heldBy, name);
    if (unlent > 0 && freeOf(name) - demand.units < unlent) return unlent;
  }
  return 0;
}

/** `*`, and the names in guarantees not lent in full that cover a model. */
export function namesKept(quotas: QuotaFacts, model: number): string[] {
  const names = ["*"];
  for (const name of quotas.lendingNames.keys())
    if (name !== "*" && modelMatches(name, quotas.fleet.models[model]!)) names.push(name);
  return names;
}

/**
 * Units of idle guarantees, of one name or of all, that a job of account `viewer` may not use [C5]: for each account
 * outside its path, the larger of its own unlent part and the sum of its children's.
 */
export function unlentUnits(
  quotas: QuotaFacts,
  viewer: AccountNo,
  heldBy: HeldBy = (account) => quotas.usage[account]!,
  name = "*",
): number {
  if (quotas.lendingLimits === 0) return 0;
  const path = new Set<AccountNo>();
  for (const account of pathUp(quotas, viewer)) path.add(account.no);
  const reserved = (no: AccountNo): number => {
    const account = quotas.accounts[no]!;
    let below = 0;
    for (const child of account.children) below += reserved(child);
    if (path.has(no) || account.parent === noAccount) return below;
    const { guarantee, lendable } = account.terms.quota;
    if (lendable === undefined) return below;
    const idle = idleOf(quotas, floorOf(quotas, account), heldBy(no), guarantee);
    return Math.max(below, name === "*" ? sum(idle) - sum(lendable) : keptOf(idle, lendable, name));
  };
  return reserved(0 as AccountNo);
}

/** The unused part of a guarantee, by entry. */
function idleOf(quotas: QuotaFacts, floor: Floor, held: Held, guarantee: GpuAmounts): GpuAmounts {
  if (floor.plain) return { "*": Math.max(0, floor.units - held.units) };
  const used = byEntry(quotas, held, guarantee, undefined, "compute");
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

/** The unlent part of an idle guarantee under one name; units lendable of any model (`*`) may come from it. */
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
