import {
  type Account,
  type AccountNo,
  type ReadonlyState,
  type Role,
  roles,
  rootAccount,
  type User,
} from "@tessera/core";
import type { Action, RouteId } from "@tessera/wire";
import { grantsOfEveryone, may, mayActFor, mayGiveRole, maySeeUser, mayWriteAccount } from "../../access/policy.ts";

/**
 * Whether a user's roles allow an action on a thing that was found. `authorise` asks these before every request, and
 * `Acts` asks the same ones for what is shown as possible: what is offered and what is let through cannot differ.
 */

/** On nodes, engines, pools and whatever else belongs to the platform as a whole. */
export function permitsOnFleet(state: ReadonlyState, user: User, action: Action): boolean {
  return allowed(state, user, action, rootAccount);
}

export function permitsOnJob(
  state: ReadonlyState,
  user: User,
  action: Action,
  account: AccountNo,
  own: boolean,
): boolean {
  return allowed(state, user, action, account, own);
}

/** On the account itself, its secrets, its budget, or what is billed to it. */
export function permitsOnAccount(state: ReadonlyState, user: User, action: Action, account: Account): boolean {
  return action === "account.write" ? mayWriteAccount(state, user, account) : may(state, user, action, account.no);
}

/** On something new at or below the account: a job, an account, a user, a role, an entry. */
export function permitsInAccount(state: ReadonlyState, user: User, action: Action, { no }: Account): boolean {
  return may(state, user, action, no);
}

export function permitsOnUser(state: ReadonlyState, user: User, id: RouteId, action: Action, other: User): boolean {
  if (action === "user.read" || (id === "setPassword" && other.id === user.id)) return true;
  return mayActFor(state, user, other);
}

/** On the tokens of the owner, one that is there or one to be made. */
export function permitsOnTokens(state: ReadonlyState, user: User, owner: User): boolean {
  return owner.id === user.id || mayActFor(state, user, owner);
}

export function seesTokens(state: ReadonlyState, user: User, owner: User): boolean {
  return maySeeUser(state, user, owner, "token.read");
}

/** On the binding of a role at an account. */
export function permitsOnBinding(state: ReadonlyState, user: User, role: Role, account: AccountNo): boolean {
  return may(state, user, "role.write", account) && mayGiveRole(state, user, role, account);
}

/** The roles that the user may give at an account. */
export function rolesToGive(state: ReadonlyState, user: User, account: AccountNo): readonly Role[] {
  return roles.filter((role) => mayGiveRole(state, user, role, account));
}

function allowed(state: ReadonlyState, user: User, action: Action, account: AccountNo, own = false): boolean {
  return grantsOfEveryone.has(action) || may(state, user, action, account, own);
}
