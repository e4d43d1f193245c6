import type { Instant, ReadonlyState, Token, User } from "@tessera/core";
import type { Action } from "@tessera/wire";
import { userWithin } from "./policy.ts";
import type { RevokedTokens } from "./revoked-tokens.ts";
import { bearerOf, tokenHash } from "./tokens.ts";

/** The user a request speaks for. Looked up for each request, so that a revocation counts at once. */
export interface Principal {
  /** With the roles that the token lets through: compare users by their ids. */
  readonly user: User;
  readonly token: Token;
}

/** The holder of the token; undefined when it is unknown, revoked or expired or its user is disabled. */
export function authenticate(
  state: ReadonlyState,
  authorization: string | undefined,
  now: Instant,
): Principal | undefined {
  const bearer = bearerOf(authorization);
  if (bearer === undefined) return undefined;
  const token = state.tokenByHash.get(tokenHash(bearer));
  return token === undefined ? undefined : principalOf(state, token, now);
}

/** The same question for a connection that stays open. */
export function principalOf(state: ReadonlyState, token: Token, now: Instant): Principal | undefined {
  if (state.tokens.get(token.id) !== token) return undefined;
  if (isExpired(state, token, now) || isHomeless(state, token)) return undefined;
  const user = state.users.get(token.user);
  return user === undefined || user.disabled ? undefined : { user: userWithin(state, user, token), token };
}

/** The account that it is limited to is gone. */
function isHomeless({ accounts }: ReadonlyState, { account }: Token): boolean {
  return account !== undefined && accounts[account] === undefined;
}

function isExpired({ lastAt }: ReadonlyState, { expiresAt }: Token, now: Instant): boolean {
  // The core's own time is the floor: a clock that was set back revives no token (S27).
  return expiresAt > 0 && expiresAt <= Math.max(now, lastAt);
}

/** Why a request is not authenticated. The cause is told only to a caller who sends the whole secret of the token. */
export type Stranger =
  | { readonly why: "no-token" | "no-such-form" | "unknown" | "disabled" | "homeless" }
  | { readonly why: "expired" | "revoked"; readonly at: Instant };

export function strangerOf(
  state: ReadonlyState,
  revoked: Pick<RevokedTokens, "revokedAt">,
  authorization: string | undefined,
  now: Instant,
): Stranger {
  if (authorization === undefined) return { why: "no-token" };
  const bearer = bearerOf(authorization);
  if (bearer === undefined) return { why: "no-such-form" };
  const hash = tokenHash(bearer);
  const token = state.tokenByHash.get(hash);
  if (token === undefined) {
    const at = revoked.revokedAt(hash);
    return at === undefined ? { why: "unknown" } : { why: "revoked", at };
  }
  if (isExpired(state, token, now)) return { why: "expired", at: token.expiresAt };
  return { why: isHomeless(state, token) ? "homeless" : "disabled" };
}

/**
 * Passwords, tokens, roles and users. A change of these can make a way in that has no limits, so no token with limits
 * reaches them, whatever its scopes name.
 */
export const credentialActions: ReadonlySet<Action> = new Set<Action>(["user.write", "role.write", "token.write"]);

/** A token without limits may do whatever its user may. */
export function inScope({ token }: Pick<Principal, "token">, action: Action): boolean {
  if (credentialActions.has(action) && isLimited(token)) return false;
  return token.scopes.length === 0 || token.scopes.includes(action);
}

/** Whether it reaches less far than its user. */
function isLimited({ scopes, account, networks, signIn }: Token): boolean {
  const isShort = signIn?.by === "workload";
  return scopes.length > 0 || account !== undefined || networks !== undefined || isShort;
}
