import { randomBytes } from "node:crypto";
import { type Instant, type Policy, sessionBounds, type Token } from "@tessera/core";
import { cookieNamed } from "./cookies.ts";
import type { TokenUse } from "./token-use.ts";
import { type MintedToken, tokenHash } from "./tokens.ts";

/** Without any request for this long a session is over. */
export function sessionIdleOf({ sessionIdleMs }: Policy): number {
  return sessionIdleMs ?? sessionBounds.idle.plainMs;
}

/** Whatever happens, a session is over after this long. */
export function sessionLifeOf({ sessionLifeMs }: Policy): number {
  return sessionLifeMs ?? sessionBounds.life.plainMs;
}

const prefix = "sess_";

/**
 * A session is a token of another shape: the journal knows it, so it outlives a restart and is revoked like any other.
 * What is minted here never leaves the server; a browser gets two halves that follow from it (sessions.ts).
 */
export function mintSession(): MintedToken {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  return { token, prefix: token.slice(0, prefix.length + 6), hash: tokenHash(token) };
}

export function isSession(token: Pick<Token, "prefix">): boolean {
  return token.prefix.startsWith(prefix);
}

/** Whether a session has been left alone for too long. Tokens of programs are never idle. */
export function isIdle(token: Token, now: Instant, use: Pick<TokenUse, "lastUsedAt">, policy: Policy): boolean {
  return isSession(token) && now - (use.lastUsedAt(token.id) ?? token.createdAt) > sessionIdleOf(policy);
}

/** The name says to browsers that it belongs to this host alone, wherever that can be kept: it needs TLS. */
function cookieName(secure: boolean): string {
  return secure ? "__Host-tessera" : "tessera";
}

/** The header that hands a browser its half; scripts cannot read it and other sites cannot send it. */
export function sessionCookie(value: string, secure: boolean): string {
  // Longer than any session: when it is over is for the server to say.
  const kept = value === "" ? "Max-Age=0" : `Max-Age=${sessionBounds.life.mostMs / 1000}`;
  return `${cookieName(secure)}=${value}; Path=/; HttpOnly; SameSite=Strict; ${kept}${secure ? "; Secure" : ""}`;
}

/** What our cookie holds; undefined without one. */
export function cookieIn(header: string | undefined, secure: boolean): string | undefined {
  return cookieNamed(header, cookieName(secure));
}
