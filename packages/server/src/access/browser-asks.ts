import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Instant, TokenId } from "@tessera/core";

/** How long a program may wait for the browser. */
export const askMsMax = 10 * 60_000;
export const askSeconds = 2;
const asksMax = 5_000;
const perAddressMax = 50;
/** No vowels, so that no words come about, and nothing that is read as another letter. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** How a program begins. */
export interface AskBegin {
  /** SHA-256 of what the program proves itself with. */
  readonly challenge: string;
  readonly address: string;
  /** Where the program waits on its own machine. */
  readonly port?: number;
}

/** A program that waits for a person with a browser, and whether that person has allowed it. */
export interface BrowserAsk extends AskBegin {
  /** What people compare. */
  readonly code: string;
  readonly expiresAt: Instant;
  /** The session or token of the person who allowed it, and the code that the browser brings to the program. */
  allowed?: { readonly by: TokenId; readonly code?: string };
}

/** What programs ask of a person with a browser (RFC 8252 and 8628, with this server as both sides). A restart ends them. */
export class BrowserAsks<What extends object> {
  readonly #byCode = new Map<string, BrowserAsk & What>();

  begin(asked: AskBegin & What, now: Instant): BrowserAsk & What {
    for (const [code, { expiresAt }] of this.#byCode) if (expiresAt <= now) this.#byCode.delete(code);
    const near = [...this.#byCode.values()].filter(({ address }) => address === asked.address);
    if (near.length >= perAddressMax) this.#byCode.delete(near[0]!.code);
    if (this.#byCode.size >= asksMax) this.#byCode.delete(this.#byCode.keys().next().value ?? "");
    const ask = { ...asked, code: this.#newCode(), expiresAt: now + askMsMax };
    this.#byCode.set(ask.code, ask);
    return ask;
  }

  find(code: string, now: Instant): (BrowserAsk & What) | undefined {
    const ask = this.#byCode.get(code.toUpperCase());
    return ask !== undefined && ask.expiresAt > now ? ask : undefined;
  }

  /** Once. What the browser brings to a program on its own machine; without one the program only asks again. */
  allow(ask: BrowserAsk, by: TokenId): string | undefined {
    const code = ask.port === undefined ? undefined : randomBytes(32).toString("base64url");
    ask.allowed = { by, ...(code !== undefined && { code }) };
    return code;
  }

  /** Who allowed it; undefined: nobody yet. Wrong: not the program that began, or not the one the browser came to. */
  take(ask: BrowserAsk, verifier: string, code: string | undefined): TokenId | undefined | "wrong" {
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (!same(challenge, ask.challenge)) return "wrong";
    if (ask.allowed === undefined) return undefined;
    if (ask.allowed.code !== undefined && !same(ask.allowed.code, code ?? "")) return "wrong";
    this.#byCode.delete(ask.code);
    return ask.allowed.by;
  }

  #newCode(): string {
    const some = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
    for (;;) {
      const code = `${some()}-${some()}`;
      if (!this.#byCode.has(code)) return code;
    }
  }
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
