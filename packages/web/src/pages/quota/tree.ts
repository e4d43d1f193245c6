import type { Account } from "@tessera/wire";
import { amountOf } from "./amounts.ts";

export interface TreeRow {
  readonly account: Account;
  readonly depth: number;
  readonly guarantee: number;
  /** Of all models together: limits of single models lie within it. Undefined: no such limit of its own. */
  readonly max: number | undefined;
  /** The part of the guarantee that the account does not use. */
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
      max: account.max?.["*"],
      // What is held beyond a guarantee is of another model, or of none: it uses nothing of the guarantee.
      unused: Math.max(0, guarantee - (account.used.gpus - account.used.borrowed)),
      children: children.get(account.path) ?? 0,
    };
  });
}

/** More than these are not shown all at once. */
const openMax = 40;

/**
 * The rows that are shown: those whose accounts above are all open. What was not opened or closed by hand is open in a
 * small tree, and where the chosen account lies below it.
 */
export function shownRows(rows: readonly TreeRow[], chosen: string, byHand: ReadonlyMap<string, boolean>) {
  const paths = new Set(rows.map(({ account }) => account.path));
  const isOpen = (path: string) => byHand.get(path) ?? (rows.length <= openMax || `${chosen}/`.startsWith(`${path}/`));
  return rows
    .filter(({ account }) => ancestorsOf(account.path).every((path) => !paths.has(path) || isOpen(path)))
    .map((row) => ({ ...row, isOpen: isOpen(row.account.path) }));
}

function ancestorsOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(0, -1).map((_, i) => names.slice(0, i + 1).join("/"));
}

/** `org2` before `org10`. */
const names = new Intl.Collator("en", { numeric: true });

/** Parents before children, and siblings by name. */
function comparePaths(a: string, b: string): number {
  const [x, y] = [a.split("/"), b.split("/")];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return names.compare(x[i]!, y[i]!) || (x[i]! < y[i]! ? -1 : 1);
  }
  return x.length - y.length;
}
