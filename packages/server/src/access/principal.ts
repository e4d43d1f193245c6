import type { Instant, ReadonlyState, Token, User } from "@tessera/core";
import type { Action } from "@tessera/wire";
import { bearerOf, tokenHash } from "./tokens.ts";

/** The user a request speaks for. Looked up for each request, so that a revocation counts at once. */
export interface Principal {
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
  // The core's own time is the floor: a clock that was set back revives no token (S27).
  if (token.expiresAt > 0 && token.expiresAt <= Math.max(now, state.lastAt)) return undefined;
  const user = state.users.get(token.user);
  return user === undefined || user.disabled ? undefined : { user, token };
}

/** A token without scopes may do whatever its user may. */
export function inScope({ token }: Principal, action: Action): boolean {
  return token.scopes.length === 0 || token.scopes.includes(action);
}
