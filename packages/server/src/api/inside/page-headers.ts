import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { proofHeader } from "@tessera/wire/addresses";

/** Of one connection, not of what is asked over it. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Cookies that are ours and that a job must neither see nor set. */
const ownCookies = new Set(["tessera", "tessera-page", "tessera-device"].flatMap((name) => [name, `__host-${name}`]));

function cookieName(secure: boolean): string {
  return secure ? "__Host-tessera-page" : "tessera-page";
}

/** Lax and not strict: the console is another site, and a strict cookie would not be sent when its link is followed. */
export function pageCookie(value: string, secure: boolean, lifeMs: number): string {
  return `${cookieName(secure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${Math.floor(lifeMs / 1000)}${secure ? "; Secure" : ""}`;
}

export function pageCookieIn({ cookie = "" }: IncomingHttpHeaders, secure: boolean): string | undefined {
  const start = `${cookieName(secure)}=`;
  const found = cookie.split(";").find((part) => part.trim().startsWith(start));
  return found?.trim().slice(start.length);
}

/** What of a browser's request reaches the job: no cookie of ours, and no credentials meant for us. */
export function headersIn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => !hopByHop.has(name) && name !== "authorization" && name !== "cookie" && name !== proofHeader,
  );
  const cookie = (headers.cookie ?? "")
    .split(";")
    .filter((part) => !ownCookies.has(nameOf(part)))
    .join(";")
    .trim();
  return { ...Object.fromEntries(kept), ...(cookie !== "" && { cookie }) };
}

/** What of the job's answer reaches the browser: it sets cookies for its own host alone, and none of ours. */
export function headersBack(answer: IncomingMessage): OutgoingHttpHeaders {
  const kept = Object.entries(answer.headers).filter(([name]) => !hopByHop.has(name) && name !== "set-cookie");
  const cookies = (answer.headers["set-cookie"] ?? [])
    .filter((text) => !ownCookies.has(nameOf(text)))
    .map((text) => text.replaceAll(/;\s*domain=[^;]*/gi, ""));
  return { ...Object.fromEntries(kept), ...(cookies.length > 0 && { "set-cookie": cookies }) };
}

function nameOf(cookie: string): string {
  return (cookie.split("=")[0] ?? "").trim().toLowerCase();
}
