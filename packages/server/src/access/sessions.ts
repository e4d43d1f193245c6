import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant, ReadonlyState, Token, TokenId } from "@tessera/core";
import { type Principal, principalOf } from "./principal.ts";
import { isIdle, sessionIdleOf } from "./session.ts";
import type { TokenUse } from "./token-use.ts";
import { tokenHash } from "./tokens.ts";

/** A cookie is replaced by the next one this often. */
const turnMs = 5 * 60_000;
/** Requests that were on their way while the next cookie came still carry the one before. */
const overlapMs = 10_000;
const pattern = /^(sess_[A-Za-z0-9_-]{43})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/** What of a request says which session it belongs to. */
export interface Shown {
  readonly cookie: string | undefined;
  /** The half that the page keeps. */
  readonly proof: string | undefined;
  /** Scheme, host and port that the browser talks to. */
  readonly origin: string;
}

export type Found =
  /** `next`: the cookie from now on, when it is time for another. */
  | { readonly principal: Principal; readonly next?: string }
  /** A cookie that has been replaced was used again, by someone who also has the other half. */
  | { readonly stolen: Token };

interface Turn {
  readonly no: number;
  /** When its cookie was first used. */
  readonly at: Instant;
}

/**
 * Sessions of browsers. Cookies ignore ports, so a page that a job serves on another port of this host is sent the
 * cookie too: alone it must be worth nothing. The other half is told to the page that signed in, which keeps it where
 * only its own origin can read it, and sends it in a header. Both follow from the server's key and need no memory; the
 * cookie has a number that counts up with time, and one that was replaced must not come again.
 */
export class Sessions {
  readonly #key: Buffer;
  readonly #newest = new Map<TokenId, Turn>();
  readonly #stolen = new Set<TokenId>();

  constructor(serverKey: Buffer) {
    this.#key = serverKey;
  }

  /** Both halves for a browser that signed in. */
  halvesOf(session: string, origin: string, now: Instant): { readonly cookie: string; readonly proof: string } {
    return { cookie: this.#cookieOf(session, turnAt(now)), proof: this.#mac("proof", session, origin) };
  }

  /** Undefined where there is no session, it is over, or a half is missing. */
  find(
    state: ReadonlyState,
    { cookie, proof, origin }: Shown,
    now: Instant,
    use: Pick<TokenUse, "lastUsedAt">,
  ): Found | undefined {
    const [, session, turnText] = pattern.exec(cookie ?? "") ?? [];
    if (session === undefined || cookie === undefined || proof === undefined) return undefined;
    const turn = Number(turnText);
    const isOurs = same(cookie, this.#cookieOf(session, turn)) && same(proof, this.#mac("proof", session, origin));
    const token = isOurs ? state.tokenByHash.get(tokenHash(session)) : undefined;
    const principal = token === undefined ? undefined : principalOf(state, token, now);
    if (token === undefined || principal === undefined || isIdle(token, now, use, state.policy)) return undefined;
    if (this.#stolen.has(token.id) || turnAt(now) - turn > sessionIdleOf(state.policy) / turnMs + 1) return undefined;
    if (!this.#mayCome(token.id, turn, now)) return { stolen: token };
    return turn < turnAt(now) ? { principal, next: this.#cookieOf(session, turnAt(now)) } : { principal };
  }

  /** Forgets sessions that are gone. Called now and then. */
  forget(state: ReadonlyState): void {
    for (const kept of [this.#newest, this.#stolen])
      for (const id of kept.keys()) if (!state.tokens.has(id)) kept.delete(id);
  }

  /**
   * An answer with the next cookie can be lost on its way, so the cookie before counts until the next one has been seen,
   * and for a moment after that.
   */
  #mayCome(id: TokenId, turn: number, now: Instant): boolean {
    const newest = this.#newest.get(id);
    if (newest === undefined || turn > newest.no) this.#newest.set(id, { no: turn, at: now });
    else if (turn < newest.no && now - newest.at > overlapMs) {
      this.#stolen.add(id);
      return false;
    }
    return true;
  }

  #cookieOf(session: string, turn: number): string {
    return `${session}.${turn}.${this.#mac("cookie", session, String(turn))}`;
  }

  #mac(half: "cookie" | "proof", session: string, text: string): string {
    return createHmac("sha256", this.#key).update(`session ${half}\n${session}\n${text}`).digest("base64url");
  }
}

function turnAt(now: Instant): number {
  return Math.floor(now / turnMs);
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
