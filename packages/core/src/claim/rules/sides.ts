import type { Account } from "../../model/account.ts";
import { type AccountNo, noAccount } from "../../model/ids.ts";
import { type AccountTree, accountOf, pathUp } from "../../quota/accounts.ts";
import type { Claimant } from "./claimant.ts";

/** An account and the accounts above it, without the root. */
export function pathOf(tree: AccountTree, account: AccountNo): ReadonlySet<AccountNo> {
  const path = new Set<AccountNo>();
  for (const { no } of pathUp(tree, account)) path.add(no);
  return path;
}

/** The accounts that lose a victim and not the claimant: the victim's account up to its side, lowest first [T5]. */
export function losingAccounts(
  tree: AccountTree,
  { path }: Pick<Claimant, "path">,
  account: AccountNo,
): readonly Account[] {
  const up = pathUp(tree, account);
  const common = up.findIndex(({ no }) => path.has(no));
  return common < 0 ? up : up.slice(0, common);
}

/**
 * The accounts directly below the lowest common account of claimant and loser, by which T2 compares them. Undefined
 * for one whose account is the common account: its jobs are sides of their own.
 */
export interface Sides {
  readonly claimant: AccountNo | undefined;
  readonly loser: AccountNo | undefined;
}

export function sidesOf(tree: AccountTree, claimant: Claimant, account: AccountNo): Sides {
  const loser = losingAccounts(tree, claimant, account).at(-1);
  const common = loser === undefined ? account : loser.parent;
  let own: AccountNo | undefined;
  for (let at = claimant.job.account; at !== common; at = accountOf(tree, at).parent) own = at;
  return { claimant: own, loser: loser?.no };
}

/** An account that contains the claimant, and the claimant's side below it; undefined in the claimant's own account. */
export interface Meeting {
  readonly common: AccountNo;
  readonly own: AccountNo | undefined;
}

/** Every account in which a claimant may meet others, from its own up to the root. */
export function* meetingsOf(tree: AccountTree, account: AccountNo): Generator<Meeting> {
  let own: AccountNo | undefined;
  for (let common = account; common !== noAccount; common = accountOf(tree, common).parent) {
    yield { common, own };
    own = common;
  }
}

/** The claimant's side below an account that contains it; undefined in its own account. */
export function ownSideIn(
  tree: AccountTree,
  { path }: Pick<Claimant, "path">,
  common: AccountNo,
): AccountNo | undefined {
  return accountOf(tree, common).children.find((child) => path.has(child));
}
