import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { type AnswerLimits, boundedFetch, isSafeAddress, ProviderFault, spacedFetch } from "../sso/bounded-fetch.ts";

/** What an issuer says of itself is asked for again after this long, and a failure is remembered for a moment. */
const knownMs = 3_600_000;
const failedMs = 5_000;
/** Keys are asked for again this often at most, whatever key a token names. */
const keysMs = 30_000;
/** A key that the issuer took back is believed no longer than this. */
const keysMsMax = 300_000;
const issuersMax = 500;

interface Known {
  readonly at: number;
  readonly keys: Promise<JWTVerifyGetKey>;
  failed?: true;
}

/** The keys of issuers: asked for by discovery and kept, or given. */
export class Issuers {
  readonly #fetch: ReturnType<typeof boundedFetch>;
  readonly #known = new Map<string, Known>();

  constructor(limits: AnswerLimits) {
    this.#fetch = boundedFetch(limits);
  }

  /** Rejects with a `ProviderFault`. */
  keysOf({ issuer, jwks }: { readonly issuer: string; readonly jwks?: string }): Promise<JWTVerifyGetKey> {
    const name = jwks ?? issuer;
    const known = this.#known.get(name);
    const age = performance.now() - (known?.at ?? 0);
    if (known !== undefined && age < (known.failed ? failedMs : knownMs)) return known.keys;
    const keys = jwks === undefined ? this.#discover(issuer) : Promise.resolve(createLocalJWKSet(keysIn(jwks)));
    const kept: Known = { at: performance.now(), keys };
    keys.catch(() => {
      kept.failed = true;
    });
    this.#known.delete(name);
    this.#known.set(name, kept);
    if (this.#known.size > issuersMax) this.#known.delete(this.#known.keys().next().value ?? name);
    return keys;
  }

  /** Where its keys are is what the issuer itself says, under the very name that its tokens carry. */
  async #discover(issuer: string): Promise<JWTVerifyGetKey> {
    if (!isSafeAddress(new URL(issuer))) throw new ProviderFault(`${new URL(issuer).origin} does not speak TLS`);
    const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const answer = await this.#fetch(address, { headers: { accept: "application/json" } });
    if (answer.status !== 200) throw new ProviderFault(`${address} answers ${answer.status}`);
    const said: unknown = await answer.json().catch(() => undefined);
    if (typeof said !== "object" || said === null) throw new ProviderFault(`${address} does not answer with JSON`);
    const { issuer: own, jwks_uri: keysAt } = said as { issuer?: unknown; jwks_uri?: unknown };
    if (own !== issuer) throw new ProviderFault("it calls itself by another name than the issuer given");
    if (typeof keysAt !== "string" || !URL.canParse(keysAt)) throw new ProviderFault("it names no keys");
    return createRemoteJWKSet(new URL(keysAt), {
      ...{ cooldownDuration: keysMs, cacheMaxAge: keysMsMax, timeoutDuration: 10_000 },
      [customFetch]: spacedFetch(this.#fetch, failedMs),
    });
  }
}

/** Public keys that were given as JSON; what is no set of public keys rejects with a `ProviderFault`. */
export function keysIn(jwks: string): JSONWebKeySet {
  let parsed: unknown;
  try {
    parsed = JSON.parse(jwks);
  } catch {
    throw new ProviderFault("the keys are not JSON");
  }
  const { keys } = (parsed ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) throw new ProviderFault("there are no keys in it");
  for (const key of keys) {
    if (typeof key !== "object" || key === null || typeof key.kty !== "string")
      throw new ProviderFault("there is a key in it without kty");
    if (key.kty === "oct" || "d" in key || "k" in key)
      throw new ProviderFault("there is a private or shared key in it; give public keys only");
  }
  return { keys };
}
