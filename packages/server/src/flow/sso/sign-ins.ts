import { createHash } from "node:crypto";
import type { Instant, ProviderTerms } from "@tessera/core";
import * as oidc from "openid-client";
import { ProviderFault } from "./bounded-fetch.ts";
import { faultOf, type Parties } from "./parties.ts";
import { browserHash, PendingSignIns } from "./pending.ts";

/** What a provider said of a person, proven. */
export interface Shown {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** What SCIM calls the person, by the claim that the owner named. */
  readonly externalId?: string;
  /** A login name that it suggests. */
  readonly name?: string;
  readonly email?: string;
  readonly groups: readonly string[];
  /** Of `acr` and `amr`, a value that the owner counts as a second factor. */
  readonly factor: boolean;
  /** The provider's own session, by which it may later end ours. */
  readonly sid?: string;
}

const groupsMax = 500;

/** Where a provider sends the browser back to: one path for each, so that an answer of one is not taken for another's. */
export function redirectPath(provider: string): string {
  return `/sign-in/back/${provider}`;
}

/** Sign-ins by the authorization code flow with PKCE. */
export class SignIns {
  readonly #parties: Parties;
  readonly #pending = new PendingSignIns();

  constructor(parties: Parties) {
    this.#parties = parties;
  }

  /** Where the browser goes. Rejects with a `ProviderFault`. */
  async begin(
    provider: { readonly name: string; readonly terms: ProviderTerms },
    from: { readonly origin: string; readonly browser: string; readonly address: string },
    now: Instant,
  ): Promise<string> {
    const { name, terms } = provider;
    const config = await this.#parties.of(name);
    const [nonce, verifier] = [oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const redirectUri = `${from.origin}${redirectPath(name)}`;
    const kept = { provider: name, nonce, verifier, redirectUri, address: from.address };
    const state = this.#pending.add({ ...kept, browser: browserHash(from.browser) }, now);
    try {
      const url = oidc.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, response_type: "code", state, nonce },
        scope: ["openid", ...terms.scopes.filter((scope) => scope !== "openid")].join(" "),
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...(terms.acr.length > 0 && { acr_values: terms.acr.join(" ") }),
      });
      return url.href;
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** What the provider says of the person who came back. Rejects with a `ProviderFault`. */
  async finish(
    { name, terms }: { readonly name: string; readonly terms: ProviderTerms },
    answer: string,
    browser: string | undefined,
    now: Instant,
  ): Promise<Shown> {
    const asked = new URLSearchParams(answer);
    const state = asked.get("state");
    const pending = state === null ? undefined : this.#pending.take(state, now);
    if (pending === undefined || state === null)
      throw new ProviderFault("this sign-in was used already, took too long, or began before the server restarted");
    if (browser === undefined || browserHash(browser) !== pending.browser)
      throw new ProviderFault("this sign-in began in another browser");
    if (pending.provider !== name) throw new ProviderFault("the answer belongs to a sign-in with another provider");
    const config = await this.#parties.of(name);
    try {
      const url = new URL(`${pending.redirectUri}?${asked}`);
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        ...{ pkceCodeVerifier: pending.verifier, expectedNonce: pending.nonce, expectedState: state },
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new ProviderFault("it sent no ID token");
      // Some providers tell groups, names and addresses only there. The library compares the subject.
      const more =
        config.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
      return shownOf(name, terms, { ...more, ...claims });
    } catch (error) {
      throw faultOf(error);
    }
  }
}

function shownOf(provider: string, terms: ProviderTerms, claims: oidc.IDToken): Shown {
  const text = (claim: string) => (typeof claims[claim] === "string" ? (claims[claim] as string) : undefined);
  const email = claims.email_verified === false ? undefined : text("email");
  const name = text("preferred_username") ?? email ?? text("nickname") ?? text("name");
  const stated = [claims.acr, ...(Array.isArray(claims.amr) ? claims.amr : [])];
  const sid = text("sid");
  const externalId = text(terms.scimClaim ?? "sub");
  return {
    provider,
    issuer: terms.issuer,
    subject: claims.sub,
    ...(externalId !== undefined && { externalId }),
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    groups: groupsIn(claims[terms.groupsClaim]),
    factor: stated.some((value) => typeof value === "string" && terms.acr.includes(value)),
    ...(sid !== undefined && { sid }),
  };
}

function groupsIn(claim: unknown): string[] {
  const values = typeof claim === "string" ? [claim] : Array.isArray(claim) ? claim : [];
  const groups = values.filter((value) => typeof value === "string" && value.length > 0 && value.length <= 200);
  return [...new Set<string>(groups)].sort().slice(0, groupsMax);
}
