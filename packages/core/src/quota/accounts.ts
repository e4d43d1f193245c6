import type { Account, QueueOrder } from "../model/account.ts";
import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";

/** The part of State that holds the account tree. */
export interface AccountTree {
  /** By number. A deleted account leaves a hole. */
  readonly accounts: readonly (Account | undefined)[];
  /** Memo of `pathUp`, by account number; an account never moves in the tree. */
  readonly paths: (readonly Account[])[];
}

export function accountOf(tree: AccountTree, no: AccountNo): Account {
  const account = tree.accounts[no];
  if (account === undefined) throw new Error(`no account ${no}`);
  return account;
}

/** The account and all accounts above it, lowest first, without the root. */
export function pathUp(tree: AccountTree, account: AccountNo): readonly Account[] {
  tree.paths[account] ??= findPath(tree, account);
  return tree.paths[account];
}

function findPath(tree: AccountTree, account: AccountNo): Account[] {
  const path: Account[] = [];
  for (let at = account; at !== rootAccount && at !== noAccount; ) {
    const here = accountOf(tree, at);
    path.push(here);
    at = here.parent;
  }
  return path;
}

/** Whether an account is `above` itself or lies below it. */
export function isInside(tree: AccountTree, account: AccountNo, above: AccountNo): boolean {
  for (let at = account; at !== noAccount; at = accountOf(tree, at).parent) if (at === above) return true;
  return false;
}

/** The tenant of an account: the top-level account above it, or the account itself. */
export function tenantOf(tree: AccountTree, account: AccountNo): Account {
  return accountOf(tree, accountOf(tree, account).tenant);
}

/** The order of an account's own waiting jobs [O3]. */
export function queueOrderOf(tree: AccountTree, account: AccountNo): QueueOrder {
  const { order = "age", quantumMs } = accountOf(tree, account).terms;
  return order === "attained-service" && quantumMs !== undefined ? "index" : order;
}
