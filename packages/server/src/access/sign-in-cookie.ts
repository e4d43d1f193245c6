import { randomBytes } from "node:crypto";
import { cookieNamed } from "./cookies.ts";

const valuePattern = /^[A-Za-z0-9_-]{43}$/;

function cookieName(secure: boolean): string {
  return secure ? "__Host-tessera-sign-in" : "tessera-sign-in";
}

/** What marks the browser that began to sign in with a provider: only there can the sign-in be finished. */
export function signInCookieIn(header: string | undefined, secure: boolean): string | undefined {
  const value = cookieNamed(header, cookieName(secure));
  return value !== undefined && valuePattern.test(value) ? value : undefined;
}

export function newSignInCookie(): string {
  return randomBytes(32).toString("base64url");
}

/** The console's own page sends it when the browser is back, so other sites never need to. */
export function signInCookie(value: string, secure: boolean): string {
  return `${cookieName(secure)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=600${secure ? "; Secure" : ""}`;
}
