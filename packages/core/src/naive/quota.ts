import { type Amount, entryFor, isWithin, plus, sum, usageOf } from "./amount.ts";
import { freeUnits } from "./room.ts";
import { nobody, pathOf, root, type World } from "./world.ts";

/** The lowest account on the path in whose guarantee what it holds and `add` stay; `nobody` = burst [C1]. */
export function coverFor(world: World, account: number, add: Amount, held = usageOf): number {
  return pathOf(world, account).find((at) => isWithin(world, at, plus(held(world, at), add))) ?? nobody;
}

/** The lowest account on the path that would hold more than its max [C5]. */
export function overMax(world: World, account: number, add: Amount, held = usageOf): number | undefined {
  return pathOf(world, account).find((at) => exceedsMax(world, at, plus(held(world, at), add), add));
}

/** Whether an account that holds `held` is beyond a max in something that it has been given more of. */
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

/** GPU compute that must stay free for those outside the path of `viewer` [C5]. */
export function notLent(world: World, viewer: number): number {
  const path = new Set([...pathOf(world, viewer), root]);
  const kept = (account: number): number => {
    let below = 0;
    for (const [child, { above }] of world.accounts.entries()) if (above === account) below += kept(child);
    if (path.has(account)) return below;
    const { guarantee, lendable } = world.accounts[account]!.quota;
    if (lendable === undefined) return below;
    const used = usageOf(world, account).slice(0, world.models.length);
    const idle = Math.max(0, sum(guarantee) - used.reduce((a, b) => a + b, 0));
    return Math.max(below, idle - sum(lendable));
  };
  return kept(root);
}

/** Whether what stays free after a burst start holds what is not lent to it [C5]. */
export function isLent(world: World, account: number, add: Amount): boolean {
  const kept = notLent(world, account);
  if (kept === 0) return true;
  const free = freeUnits(world);
  const taken = add.slice(0, world.models.length).reduce((a, b) => a + b, 0);
  return taken === 0 || free - taken >= kept;
}
