import { accountOf, type Instant, type ReadonlyState, type RoleBinding, type Token, type User } from "@tessera/core";
import type { RoleBindingShape, TokenShape, UserShape } from "@tessera/wire";
import type { People } from "../access/people.ts";
import { may } from "../access/policy.ts";
import type { Seal } from "../access/seal.ts";
import { isExpiring } from "../access/token-expiry.ts";
import type { TokenUse } from "../access/token-use.ts";
import { timestamp } from "./quantities.ts";

export function userTag(seal: Seal, user: Pick<User, "id" | "revision">): string {
  return seal.tag(`user ${user.id}`, user.revision);
}

/** A user for this viewer: roles elsewhere are left out. */
export function renderUser(
  state: ReadonlyState,
  seal: Seal,
  people: People,
  viewer: User,
  user: User,
  mayWith?: (binding: RoleBinding) => UserShape["bindings"][number]["may"],
): UserShape {
  const person = people.person(user.id);
  // Of oneself, what the token lets through.
  const seen =
    viewer.id === user.id
      ? viewer.bindings
      : user.bindings.filter(({ account }) => may(state, viewer, "user.read", account));
  return {
    id: user.id,
    name: person?.name ?? "",
    ...(person?.email !== undefined && { email: person.email }),
    disabled: user.disabled,
    ...(user.service !== undefined && { service: state.accounts[user.service]?.path ?? "" }),
    hasPassword: people.hasPassword(user.id),
    bindings: seen.map((binding) => ({
      role: binding.role,
      account: accountOf(state, binding.account).path,
      ...(mayWith !== undefined && { may: mayWith(binding) }),
    })),
    createdAt: timestamp(user.createdAt),
    revision: userTag(seal, user),
  };
}

export function bindingId(user: string, role: string, path: string): string {
  return `${user}:${role}:${path}`;
}

export function renderBinding(
  state: ReadonlyState,
  people: People,
  user: User,
  { role, account, from }: RoleBinding,
): RoleBindingShape {
  const { path } = accountOf(state, account);
  return {
    ...{ id: bindingId(user.id, role, path), user: user.id, userName: people.nameOf(user.id), role, account: path },
    ...(from !== undefined && { from }),
  };
}

export function renderToken(state: ReadonlyState, token: Token, use: TokenUse, now: Instant): TokenShape {
  const usedAt = use.lastUsedAt(token.id);
  return {
    id: token.id,
    user: token.user,
    label: token.label,
    prefix: token.prefix,
    scopes: [...token.scopes],
    // The account may be gone, and the token with it.
    ...(token.account !== undefined && { account: state.accounts[token.account]?.path ?? "" }),
    ...(token.networks !== undefined && { networks: [...token.networks] }),
    ...(token.signIn !== undefined && { signIn: token.signIn.by }),
    createdAt: timestamp(token.createdAt),
    ...(token.expiresAt > 0 && { expiresAt: timestamp(token.expiresAt) }),
    ...(isExpiring(token, now) && { expiring: true as const }),
    ...(usedAt !== undefined && { lastUsedAt: timestamp(usedAt) }),
  };
}
