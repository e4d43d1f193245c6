import { isRefusal, type Provider, type UserId } from "@tessera/core";
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from "jose";
import type { People } from "../../access/people.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { type AnswerLimits, boundedFetch, ProviderFault, spacedFetch, usualAnswerLimits } from "./bounded-fetch.ts";
import { clockSkewSeconds, faultOf, type Parties } from "./parties.ts";

/** Where a provider tells of people who signed out there. */
export function logoutPath(provider: string): string {
  return `/sign-in/logout/${provider}`;
}

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
const algorithms = [
  "RS256",
  "PS256",
  "ES256",
  "EdDSA",
  "RS384",
  "PS384",
  "ES384",
  "RS512",
  "PS512",
  "ES512",
  "Ed25519",
];
/** A logout token is taken for this long after it was made, and remembered for as long. */
const takenMs = 5 * 60_000;
const rememberedMax = 10_000;
/** Keys are asked for again this often at most, whatever key a token names; sooner where that failed. */
const keysMs = 30_000;
const failedMs = 5_000;
/** A key that the provider took back is believed no longer than this. */
const keysMsMax = 300_000;

interface Ground {
  readonly control: ControlPlane;
  readonly people: People;
  readonly parties: Parties;
}

/** Back-channel logout: a provider says that a person signed out there, and what it opened here ends. */
export class Logouts {
  readonly #ground: Ground;
  readonly #fetch: ReturnType<typeof boundedFetch>;
  readonly #keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
  /** Tokens that were taken, until they are too old to be taken. */
  readonly #taken = new Map<string, number>();
  readonly #userBySid = new Map<string, UserId>();

  constructor(ground: Ground, limits: AnswerLimits = usualAnswerLimits) {
    this.#ground = ground;
    this.#fetch = boundedFetch(limits);
  }

  /** A provider may later name the session alone. In memory: after a restart it must name the person. */
  remember(provider: string, sid: string | undefined, user: UserId): void {
    if (sid === undefined) return;
    keepFew(this.#userBySid, JSON.stringify([provider, sid]), user);
  }

  /** Ends what the provider opened for the person. Answers how many sessions and tokens. Rejects with a `ProviderFault`. */
  async take(provider: Provider, token: string, by: Pick<Asker, "request" | "address">): Promise<number> {
    const { name, terms } = provider;
    const { control, people } = this.#ground;
    const claims = await this.#verify(provider, token);
    const events = claims.events;
    if (typeof events !== "object" || events === null || !(logoutEvent in events))
      throw new ProviderFault("the token does not say that someone signed out");
    if (claims.nonce !== undefined) throw new ProviderFault("the token is not one of a logout: it has a nonce");
    if (typeof claims.jti !== "string") throw new ProviderFault("the token has no jti");
    const jti = JSON.stringify([name, claims.jti]);
    if (this.#taken.has(jti)) throw new ProviderFault("the token was used already");
    keepFew(this.#taken, jti, Date.now());
    const sid = typeof claims.sid === "string" ? claims.sid : undefined;
    if (claims.sub === undefined && sid === undefined) throw new ProviderFault("the token names nobody");
    const user =
      claims.sub === undefined
        ? this.#userBySid.get(JSON.stringify([name, sid]))
        : people.identities.find(terms.issuer, claims.sub)?.user;
    if (user === undefined) return 0;
    const ended = [...control.state.tokens.values()].filter(
      (each) => each.user === user && each.signIn?.provider === name,
    );
    const asker: Asker = { actor: { user: "system" }, ...by };
    for (const { id } of ended) {
      const done = await control.ask({ kind: "token.revoke", token: id }, asker);
      if (isRefusal(done) && control.state.tokens.has(id)) throw new Error(`token ${id}: ${done.detail}`);
    }
    return ended.length;
  }

  async #verify({ name, terms }: Provider, token: string): Promise<JWTPayload> {
    const { jwks_uri: address } = (await this.#ground.parties.of(name)).serverMetadata();
    if (address === undefined) throw new ProviderFault("it names no keys");
    let keys = this.#keys.get(address);
    if (keys === undefined) {
      keys = createRemoteJWKSet(new URL(address), {
        ...{ cooldownDuration: keysMs, cacheMaxAge: keysMsMax, timeoutDuration: 10_000 },
        [customFetch]: spacedFetch(this.#fetch, failedMs),
      });
      this.#keys.set(address, keys);
    }
    try {
      const { payload } = await jwtVerify(token, keys, {
        ...{ issuer: terms.issuer, audience: terms.clientId, algorithms, clockTolerance: clockSkewSeconds },
        ...{ requiredClaims: ["iat"], maxTokenAge: takenMs / 1000 },
      });
      return payload;
    } catch (error) {
      throw faultOf(error);
    }
  }
}

function keepFew<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > rememberedMax) map.delete(map.keys().next().value ?? key);
}
