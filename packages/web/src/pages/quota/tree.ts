import type { Account } from "@tessera/wire";
import { amountOf } from "./amounts.ts";

export interface TreeRow {
  readonly account: Account;
  readonly depth: number;
  readonly guarantee: number;
  /** Undefined: no limit of its own. */
  readonly max: number | undefined;
  /** The part of the guarantee that other accounts borrow now. */
  readonly unused: number;
  readonly children: number;
}

/** The accounts as an indented list, each below the one it belongs to. */
export function treeOf(accounts: readonly Account[]): TreeRow[] {
  const shown = accounts.filter(({ path }) => path !== "").sort((a, b) => comparePaths(a.path, b.path));
  const paths = new Set(shown.map(({ path }) => path));
  const children = new Map<string, number>();
  for (const { path } of shown) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  return shown.map((account) => {
    const guarantee = amountOf(account.guarantee);
    return {
      account,
      depth: ancestorsOf(account.path).filter((path) => paths.has(path)).length,
      guarantee,
      max: account.max === undefined ? undefined : amountOf(account.max),
      unused: Math.max(0, guarantee - account.used.gpus),
      children: children.get(account.path) ?? 0,
    };
  });
}

function ancestorsOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(0, -1).map((_, i) => names.slice(0, i + 1).join("/"));
}

/** Parents before children, and siblings by name. */
function comparePaths(a: string, b: string): number {
  const [x, y] = [a.split("/"), b.split("/")];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return x[i]! < y[i]! ? -1 : 1;
  }
  return x.length - y.length;
}

export interface Effect {
  readonly text: string;
  readonly bad: boolean;
}

/** What an edit of the guarantee would do to running jobs, shown before it is saved. */
export function effectOf(
  account: Account,
  accounts: readonly Account[],
  guarantee: number,
  max: number | undefined,
): Effect[] {
  const before = amountOf(account.guarantee);
  const { gpus } = account.used;
  const effects: Effect[] = [];
  const burstBefore = Math.max(0, gpus - before);
  const burstAfter = Math.max(0, gpus - guarantee);
  if (burstAfter > burstBefore)
    effects.push({
      text: `${burstAfter - burstBefore} GPUs that it holds now become burst and can be reclaimed.`,
      bad: true,
    });
  if (burstAfter < burstBefore)
    effects.push({ text: `${burstBefore - burstAfter} GPUs that it borrows now become guaranteed.`, bad: false });
  if (max !== undefined && gpus > max)
    effects.push({
      text: `It holds ${gpus} GPUs, more than the new max: running jobs continue, no further job starts.`,
      bad: true,
    });
  const parentPath = account.path.slice(0, Math.max(0, account.path.lastIndexOf("/")));
  const parent = accounts.find(({ path }) => path === parentPath);
  if (parent !== undefined && parentPath !== "") {
    const siblings = accounts.filter(
      ({ path }) => path !== account.path && path.slice(0, Math.max(0, path.lastIndexOf("/"))) === parentPath,
    );
    const shared = siblings.reduce((sum, each) => sum + amountOf(each.guarantee), 0) + guarantee;
    const floor = amountOf(parent.guarantee);
    if (shared > floor)
      effects.push({
        text: `With its sibling accounts it would be guaranteed ${shared} GPUs; ${parentPath} has ${floor}. This is refused unless overcommit is on.`,
        bad: true,
      });
    else effects.push({ text: `${floor - shared} GPUs of ${parentPath} stay without a guarantee.`, bad: false });
  }
  const below = accounts.filter(
    ({ path }) => path.startsWith(`${account.path}/`) && !path.slice(account.path.length + 1).includes("/"),
  );
  const given = below.reduce((sum, each) => sum + amountOf(each.guarantee), 0);
  if (given > guarantee)
    effects.push({
      text: `The accounts below are guaranteed ${given} GPUs. This is refused unless overcommit is on.`,
      bad: true,
    });
  if (effects.length === 0) effects.push({ text: "Running jobs are not affected.", bad: false });
  return effects;
}
