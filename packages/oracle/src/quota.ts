import type { GpuAmounts } from "@tessera/core/model";
import { type Amount, entryFor, isWithin, plus, sum, usageOf } from "./amount.ts";
import { freeUnits } from "./room.ts";
import { covers, noAccount, pathOf, root, type World } from "./world.ts";

/** The lowest account on the path whose guarantee has room for `add`; `noAccount` = burst [C1]. */
export function coverFor(world: World, account: number, add: Amount, held = usageOf): number {
  return pathOf(world, account).find((at) => isWithin(world, at, plus(held(world, at), add))) ?? noAccount;
}

/** The lowest account on the path that would hold more than its max [C5]. */
export function overMax(world: World, account: number, add: Amount, held = usageOf): number | undefined {
  return pathOf(world, account).find((at) => exceedsMax(world, at, plus(held(world, at), add), add));
}

/** Whether an account that holds `held` exceeds a max in a dimension in which `added` has a part. */
export function exceedsMax(world: World, account: number, held: Amount, added: Amount): boolean {
  const { max, maxCpusMilli, maxMemoryMiB } = world.accounts[account]!.quota;
  const { length } = world.models;
  const over = (total: number, more: number, most: number | undefined) =>
    most !== undefined && more > 0 && total > most;
  if (over(held[length * 2]!, added[length * 2]!, maxCpusMilli)) return true;
  if (over(held[length * 2 + 1]!, added[length * 2 + 1]!, maxMemoryMiB)) return true;
  for (const first of [0, length]) {
    for (const name of Object.keys(max ?? {})) {
      const under = world.models.map((model) => name === "*" || entryFor(max!, model) === name);
      const total = (of: Amount) => under.reduce((units, is, model) => units + (is ? of[first + model]! : 0), 0);
      if (over(total(held), total(added), max![name])) return true;
    }
  }
  return false;
}

/** GPU compute of the models that `name` covers that must stay free for accounts outside the path of `viewer` [C5]. */
export function notLent(world: World, viewer: number, name = "*"): number {
  const path = new Set([...pathOf(world, viewer), root]);
  const kept = (account: number): number => {
    let below = 0;
    for (const [child, { above }] of world.accounts.entries()) if (above === account) below += kept(child);
    if (path.has(account)) return below;
    const { guarantee, lendable } = world.accounts[account]!.quota;
    if (lendable === undefined) return below;
    const idle = idleOf(world, guarantee, usageOf(world, account));
    if (name === "*") return Math.max(below, sum(idle) - sum(lendable));
    const under = Object.keys(idle).filter((entry) => entry !== "*" && covers(name, entry));
    const from = [...new Set(under.map((entry) => entryFor(lendable, entry)))];
    const own = from.reduce((total, each) => {
      const units = under
        .filter((entry) => entryFor(lendable, entry) === each)
        .reduce((all, entry) => all + idle[entry]!, 0);
      return total + Math.max(0, units - (each === undefined ? 0 : lendable[each]!));
    }, 0);
    return Math.max(below, own - (lendable["*"] ?? 0));
  };
  return kept(root);
}

/** The idle part of a guarantee, by entry. */
function idleOf(world: World, guarantee: GpuAmounts, held: Amount): GpuAmounts {
  const names = Object.keys(guarantee).filter((name) => name !== "*");
  const used = (name: string | undefined) =>
    world.models.reduce((all, model, no) => all + (entryFor(guarantee, model) === name ? held[no]! : 0), 0);
  const idle = Object.fromEntries(names.map((name) => [name, Math.max(0, guarantee[name]! - used(name))]));
  const beyond = names.reduce((all, name) => all + Math.max(0, used(name) - guarantee[name]!), used(undefined));
  return { ...idle, "*": Math.max(0, (guarantee["*"] ?? 0) - beyond) };
}

/** Whether the GPUs that stay free after a burst start hold the unlent guarantees [C5], in all and by name. */
export function isLent(world: World, account: number, add: Amount): boolean {
  const names = ["*", ...world.accounts.flatMap(({ quota }) => Object.keys(quota.guarantee))];
  return [...new Set(names)].every((name) => {
    const models = world.models.flatMap((model, no) => (covers(name, model) ? [no] : []));
    const taken = models.reduce((all, no) => all + add[no]!, 0);
    const kept = taken === 0 ? 0 : notLent(world, account, name);
    return kept === 0 || freeUnits(world, models) - taken >= kept;
  });
}
