import {
  type Account,
  type AccountNo,
  accountOf,
  isInside,
  type ReadonlyState,
  type Role,
  roles,
  rootAccount,
  type Token,
  type User,
} from "@tessera/core";
import type { Action } from "@tessera/wire";

/** `own`: only where the thing is the caller's own. */
type Extent = "all" | "own";
type Grants = Readonly<Partial<Record<Action, Extent>>>;

const look: Grants = {
  "job.read": "all",
  "account.read": "all",
  "secret.read": "all",
  "volume.read": "all",
  "usage.read": "all",
  "cost.read": "all",
  "budget.read": "all",
  "event.read": "all",
};
const readBooks: Grants = { "invoice.read": "all", "ledger.read": "all" };
const administer: Grants = {
  ...look,
  "job.submit": "all",
  "job.control": "all",
  "job.logs": "all",
  "job.enter": "all",
  "account.write": "all",
  "user.read": "all",
  "user.write": "all",
  "role.read": "all",
  "role.write": "all",
  "token.read": "all",
  "token.write": "all",
  "secret.write": "all",
  "volume.share": "all",
  "budget.write": "all",
  "invoice.read": "all",
  "ledger.read": "all",
};

/** What each role may do at its account and below. `account.write` is asked of the account above: see `mayWriteAccount`. */
export const grantsOf: Readonly<Record<Role, Grants>> = {
  "platform-owner": {
    ...administer,
    "audit.read": "all",
    "node.write": "all",
    "engine.write": "all",
    "provider.write": "all",
    "pool.write": "all",
    "policy.write": "all",
    "volume.write": "all",
    "witness.write": "all",
    "price.write": "all",
    "bill.write": "all",
  },
  "tenant-admin": { ...administer, "audit.read": "all" },
  "team-admin": administer,
  member: { ...look, "job.submit": "all", "job.control": "own", "job.logs": "own", "job.enter": "own" },
  viewer: look,
  finance: {
    ...readBooks,
    "usage.read": "all",
    "account.read": "all",
    "cost.read": "all",
    "budget.read": "all",
    "budget.write": "all",
  },
  auditor: { ...look, ...readBooks, "user.read": "all", "role.read": "all", "token.read": "all", "audit.read": "all" },
};

/** What every signed-in user may do: look at the fleet, at its policy, and at themselves. */
export const grantsOfEveryone: ReadonlySet<Action> = new Set<Action>([
  "node.read",
  "policy.read",
  "price.read",
  "self.read",
  "session.write",
  "metrics.read",
]);

/** Roles that each role may give and take away: never one that can do what it cannot do itself. */
export const mayGive: Readonly<Record<Role, readonly Role[]>> = {
  "platform-owner": roles,
  "tenant-admin": ["tenant-admin", "team-admin", "member", "viewer", "finance", "auditor"],
  "team-admin": ["team-admin", "member", "viewer", "finance"],
  member: [],
  viewer: [],
  finance: [],
  auditor: [],
};

/** Whether a role of this user allows the action at this account. `own` tells that the thing is the user's own. */
export function may(state: ReadonlyState, user: User, action: Action, account: AccountNo, own = false): boolean {
  for (const binding of user.bindings) {
    const extent = grantsOf[binding.role][action];
    if (extent === undefined || (extent === "own" && !own)) continue;
    if (isInside(state, account, binding.account)) return true;
  }
  return false;
}

/** Whether the user may do this anywhere at all. */
export function mayAnywhere(user: User, action: Action): boolean {
  return user.bindings.some((binding) => grantsOf[binding.role][action] !== undefined);
}

/**
 * The user as far as a token goes that is limited to an account: roles held above it hold there and below, roles held
 * elsewhere do not count.
 */
export function userWithin(state: ReadonlyState, user: User, { account }: Pick<Token, "account">): User {
  if (account === undefined) return user;
  const bindings = user.bindings.flatMap((binding) => {
    if (isInside(state, binding.account, account)) return [binding];
    return isInside(state, account, binding.account) ? [{ ...binding, account }] : [];
  });
  return { ...user, bindings };
}

/**
 * An account's quota is set from above: the administrators of an account share it out among the accounts below, and
 * cannot raise it. The root, which nothing is above, belongs to the platform owner.
 */
export function mayWriteAccount(state: ReadonlyState, user: User, account: Account): boolean {
  if (account.no === rootAccount)
    return user.bindings.some((binding) => binding.role === "platform-owner" && binding.account === rootAccount);
  return may(state, user, "account.write", account.parent);
}

/** Whether the user may give or take away this role at this account. */
export function mayGiveRole(state: ReadonlyState, user: User, role: Role, account: AccountNo): boolean {
  return user.bindings.some(
    (binding) => mayGive[binding.role].includes(role) && isInside(state, account, binding.account),
  );
}

/** Something of another user is visible where one may look at users and that user has a role. */
export function maySeeUser(state: ReadonlyState, user: User, other: User, action: Action = "user.read"): boolean {
  if (user.id === other.id) return true;
  const home = homeOf(state, other);
  if (home !== undefined && may(state, user, action, home)) return true;
  if (other.bindings.length === 0) return may(state, user, action, rootAccount);
  return other.bindings.some((binding) => may(state, user, action, binding.account));
}

/**
 * To act for another user (disable, set a password, make a token) is to be able to do whatever that user can do:
 * allowed only to one who could have given every role that the other holds.
 */
export function mayActFor(state: ReadonlyState, user: User, other: User): boolean {
  const home = homeOf(state, other);
  if (home !== undefined && !may(state, user, "user.write", home)) return false;
  if (other.bindings.length === 0) return home !== undefined || may(state, user, "user.write", rootAccount);
  return other.bindings.every(
    ({ role, account }) => may(state, user, "user.write", account) && mayGiveRole(state, user, role, account),
  );
}

/** The account that a service account belongs to, while it is there. */
function homeOf({ accounts }: ReadonlyState, { service }: User): AccountNo | undefined {
  return service !== undefined && accounts[service] !== undefined ? service : undefined;
}

/** The highest accounts at which the user may do this; everything below them is included. */
export function rootsFor(state: ReadonlyState, user: User, action: Action): Account[] {
  const at = new Set<AccountNo>();
  for (const binding of user.bindings) {
    if (grantsOf[binding.role][action] !== undefined) at.add(binding.account);
  }
  return [...at]
    .filter((no) => ![...at].some((other) => other !== no && isInside(state, no, other)))
    .map((no) => accountOf(state, no));
}
