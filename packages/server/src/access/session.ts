import { randomBytes } from "node:crypto";
import type { Instant, ReadonlyState, Token } from "@tessera/core";
import { cookieNamed } from "./cookies.ts";
import { type Principal, principalOf } from "./principal.ts";
import type { TokenUse } from "./token-use.ts";
import { bearerOf, type MintedToken, tokenHash } from "./tokens.ts";

/** Without any request for this long a session is over; whatever happens, it is over after a day. */
export const sessionIdleMs = 2 * 3_600_000;
export const sessionLifeMs = 24 * 3_600_000;

const prefix = "sess_";
const pattern = /^sess_[A-Za-z0-9_-]{43}$/;

/**
 * A session is a token of another shape: the journal knows it, so it outlives a restart and is revoked like any other,
 * but it is taken from a cookie only and never from an Authorization header.
 */
export function mintSession(): MintedToken {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  return { token, prefix: token.slice(0, prefix.length + 6), hash: tokenHash(token) };
}

export function isSession(token: Pick<Token, "prefix">): boolean {
  return token.prefix.startsWith(prefix);
}

/** The name says to browsers that it belongs to this host alone, wherever that can be kept: it needs TLS. */
function cookieName(secure: boolean): string {
  return secure ? "__Host-tessera" : "tessera";
}

/** The header that hands a session to a browser; scripts cannot read it and other sites cannot send it. */
export function sessionCookie(value: string, secure: boolean): string {
  const kept = value === "" ? "Max-Age=0" : `Max-Age=${sessionLifeMs / 1000}`;
  return `${cookieName(secure)}=${value}; Path=/; HttpOnly; SameSite=Strict; ${kept}${secure ? "; Secure" : ""}`;
}

/** Who a browser speaks for: the holder of a session that is neither idle too long nor over, or of a token put there. */
export function authenticateCookie(
  state: ReadonlyState,
  header: string | undefined,
  secure: boolean,
  now: Instant,
  use: Pick<TokenUse, "lastUsedAt">,
): Principal | undefined {
  const value = cookieNamed(header, cookieName(secure));
  if (value === undefined) return undefined;
  const ours = pattern.test(value) || bearerOf(`Bearer ${value}`) !== undefined;
  const token = ours ? state.tokenByHash.get(tokenHash(value)) : undefined;
  if (token === undefined || isIdle(token, now, use)) return undefined;
  return principalOf(state, token, now);
}

/** Whether a session has been left alone for too long. Tokens of programs are never idle. */
export function isIdle(token: Token, now: Instant, use: Pick<TokenUse, "lastUsedAt">): boolean {
  return isSession(token) && now - (use.lastUsedAt(token.id) ?? token.createdAt) > sessionIdleMs;
}

interface BrowserHeaders {
  readonly host?: string;
  readonly origin?: string;
  readonly "sec-fetch-site"?: string | string[];
}

/**
 * Whether a request that changes something comes from our own page. Browsers say where a request comes from and pages
 * cannot lie about it; what says nothing is no browser of today, and is believed only where no cookie is at stake.
 */
export function isSameOrigin(headers: BrowserHeaders): boolean | "untold" {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  if (headers.origin === undefined) return "untold";
  try {
    return new URL(headers.origin).host === headers.host;
  } catch {
    return false;
  }
}
