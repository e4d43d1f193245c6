import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Instant, TokenId } from "@tessera/core";

/** How long a program may wait for the browser. */
export const loginMsMax = 10 * 60_000;
export const loginAskSeconds = 2;
const loginsMax = 5_000;
const perAddressMax = 50;
/** No vowels, so that no words come about, and nothing that is read as another letter. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** A program that asks to be let in, and whether someone has allowed it. */
export interface Login {
  readonly code: string;
  readonly challenge: string;
  readonly label: string;
  readonly address: string;
  /** Where the program waits on its own machine. */
  readonly port?: number;
  readonly expiresAt: Instant;
  /** The session or token of the person who allowed it, and the code that the browser brings to the program. */
  allowed?: { readonly by: TokenId; readonly code?: string };
}

/** Logins of programs that a browser allows (RFC 8252 and 8628, with this server as both sides). A restart ends them. */
export class Logins {
  readonly #byCode = new Map<string, Login>();

  begin(asked: Pick<Login, "challenge" | "label" | "address" | "port">, now: Instant): Login {
    for (const [code, { expiresAt }] of this.#byCode) if (expiresAt <= now) this.#byCode.delete(code);
    const near = [...this.#byCode.values()].filter(({ address }) => address === asked.address);
    if (near.length >= perAddressMax) this.#byCode.delete(near[0]!.code);
    if (this.#byCode.size >= loginsMax) this.#byCode.delete(this.#byCode.keys().next().value ?? "");
    const login: Login = { ...asked, code: this.#newCode(), expiresAt: now + loginMsMax };
    this.#byCode.set(login.code, login);
    return login;
  }

  find(code: string, now: Instant): Login | undefined {
    const login = this.#byCode.get(code.toUpperCase());
    return login !== undefined && login.expiresAt > now ? login : undefined;
  }

  /** Once. What the browser brings to a program on its own machine; without one the program only asks again. */
  allow(login: Login, by: TokenId): string | undefined {
    const code = login.port === undefined ? undefined : randomBytes(32).toString("base64url");
    login.allowed = { by, ...(code !== undefined && { code }) };
    return code;
  }

  /** Who allowed it; undefined: nobody yet. Wrong: not the program that began, or not the one the browser came to. */
  take(login: Login, verifier: string, code: string | undefined): TokenId | undefined | "wrong" {
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (!same(challenge, login.challenge)) return "wrong";
    if (login.allowed === undefined) return undefined;
    if (login.allowed.code !== undefined && !same(login.allowed.code, code ?? "")) return "wrong";
    this.#byCode.delete(login.code);
    return login.allowed.by;
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
