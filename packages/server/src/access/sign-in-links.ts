import { randomBytes } from "node:crypto";
import type { Instant, Token } from "@tessera/core";
import { tokenHash } from "./tokens.ts";

/** How long a link may wait for the browser. */
export const linkMsMax = 10 * 60_000;
const linksPerUserMax = 5;

interface Link {
  readonly token: Token;
  readonly expiresAt: Instant;
}

/** Where the console takes a ticket. Behind the `#`: browsers send that part to no server and tell it to no other page. */
export function signInPath(ticket: string): string {
  return `/sign-in#ticket=${ticket}`;
}

/** Links that sign a browser in once, for the holder of a token. In memory: a restart ends them. */
export class SignInLinks {
  readonly #links = new Map<string, Link>();

  /** A ticket for the holder of the token. Of too many that are unused, the oldest goes. */
  make(token: Token, now: Instant): { readonly ticket: string; readonly expiresAt: Instant } {
    for (const [hash, { expiresAt }] of this.#links) if (expiresAt <= now) this.#links.delete(hash);
    const own = [...this.#links].filter(([, link]) => link.token.user === token.user);
    for (const [hash] of own.slice(0, Math.max(0, own.length - linksPerUserMax + 1))) this.#links.delete(hash);
    const ticket = randomBytes(32).toString("base64url");
    const expiresAt = now + linkMsMax;
    this.#links.set(tokenHash(ticket), { token, expiresAt });
    return { ticket, expiresAt };
  }

  /** Whose ticket it is; it cannot be used again. */
  take(ticket: string, now: Instant): Token | undefined {
    const hash = tokenHash(ticket);
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    return link !== undefined && link.expiresAt > now ? link.token : undefined;
  }
}
