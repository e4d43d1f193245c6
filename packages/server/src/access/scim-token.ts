import { randomBytes } from "node:crypto";
import type { Provider, ReadonlyState, ScimToken } from "@tessera/core";
import { type MintedToken, tokenHash } from "./tokens.ts";

const prefix = "scim_";
const header = /^Bearer (scim_[A-Za-z0-9_-]{43})$/i;

/** Another shape than that of tokens of users: nothing but SCIM takes it. */
export function mintScimToken(): MintedToken {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  return { token, prefix: token.slice(0, prefix.length + 6), hash: tokenHash(token) };
}

/** An identity system that calls, and the provider of whose people it may speak. */
export interface ScimCaller {
  readonly provider: Provider;
  readonly token: ScimToken;
}

/** Looked up for each request, so that a revocation counts at once. */
export function scimCaller(state: ReadonlyState, authorization: string | undefined): ScimCaller | undefined {
  const bearer = header.exec(authorization ?? "")?.[1];
  if (bearer === undefined) return undefined;
  const hash = tokenHash(bearer);
  for (const provider of state.providers.values()) {
    const token = provider.scim?.find((each) => each.hash === hash);
    if (token !== undefined) return { provider, token };
  }
  return undefined;
}
