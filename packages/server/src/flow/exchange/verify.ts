import { createHash } from "node:crypto";
import { type ClaimRule, claimMatches, type Exchange, type Instant } from "@tessera/core";
import { decodeJwt, type JWTPayload, jwtVerify } from "jose";
import { ProviderFault } from "../sso/bounded-fetch.ts";
import { clockSkewSeconds, faultOf } from "../sso/parties.ts";
import type { Issuers } from "./issuers.ts";

/** Signed by a key that only the issuer has: no `none`, and nothing for which a public key could be the password. */
const algorithms = [
  "RS256",
  "PS256",
  "ES256",
  "EdDSA",
  "Ed25519",
  "RS384",
  "PS384",
  "ES384",
  "RS512",
  "PS512",
  "ES512",
];
export const subjectTokenCharsMax = 8_192;
/** A token that lives for longer is no token of one run. */
const lifeSecondsMax = 24 * 3_600;

/** A token of another system that is what it says. */
export interface Verified {
  readonly claims: JWTPayload;
  /** What tells it from every other of its issuer. */
  readonly id: string;
  readonly expiresAt: Instant;
}

/** The issuer that a token names, before anything is believed of it. */
export function issuerOf(token: string): string {
  if (token.length > subjectTokenCharsMax)
    throw new ProviderFault(`the token has more than ${subjectTokenCharsMax} characters`);
  let issuer: unknown;
  try {
    issuer = decodeJwt(token).iss;
  } catch {
    throw new ProviderFault("it is not a signed token (JWT)");
  }
  if (typeof issuer !== "string") throw new ProviderFault("the token names no issuer");
  return issuer;
}

/** Checks signature, issuer, audience and times. Rejects with a `ProviderFault`. */
export async function verify(
  issuers: Pick<Issuers, "keysOf">,
  { terms }: Exchange,
  token: string,
  now: Instant,
): Promise<Verified> {
  try {
    const { payload } = await jwtVerify(token, await issuers.keysOf(terms), {
      ...{ issuer: terms.issuer, audience: terms.audience, algorithms, clockTolerance: clockSkewSeconds },
      ...{ requiredClaims: ["exp", "iat"], currentDate: new Date(now) },
    });
    const { exp = 0, iat = 0, jti } = payload;
    if (exp - iat > lifeSecondsMax) throw new ProviderFault("the token lives for longer than 24 hours");
    if (iat * 1000 > now + clockSkewSeconds * 1000) throw new ProviderFault("the token was made in the future");
    const id = typeof jti === "string" ? `jti ${jti}` : `token ${createHash("sha256").update(token).digest("hex")}`;
    return { claims: payload, id, expiresAt: (exp + clockSkewSeconds) * 1000 };
  } catch (error) {
    throw faultOf(error);
  }
}

/** Whether a claim is as the rule says. */
export function isMet({ claim, value }: ClaimRule, claims: JWTPayload): boolean {
  return Object.hasOwn(claims, claim) && claimMatches(value, claims[claim]);
}
