import {
  type Account,
  durationText,
  type Instant,
  isRefusal,
  type Policy,
  parseDuration,
  type ReadonlyState,
  type Refusal,
  refuse,
  type Token,
  type TokenId,
  type User,
} from "@tessera/core";
import { actions, type TokenCreate } from "@tessera/wire";
import { isNetwork } from "../../access/cidr.ts";
import { userWithin } from "../../access/policy.ts";
import { credentialActions } from "../../access/principal.ts";
import { deriveToken, type MintedToken, mintToken } from "../../access/tokens.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { newId } from "../ids.ts";

const longestLifeMs = 10 * 365 * 24 * 3_600_000;

/** When a token made now expires; 0 = never. */
export function expiryOf(
  expiresIn: string | undefined,
  now: Instant,
  { tokenLifeMsMax }: Pick<Policy, "tokenLifeMsMax">,
): Instant | Refusal {
  if (expiresIn === undefined) return tokenLifeMsMax === undefined ? 0 : now + tokenLifeMsMax;
  const life = parseDuration(expiresIn, "expiresIn");
  if (isRefusal(life)) return life;
  if (life === 0 || life > longestLifeMs) {
    return refuse(
      "invalid",
      "expiresIn",
      expiresIn,
      "is not a lifetime that a token can have",
      "give 1s to 3650d, or leave it out",
    );
  }
  if (tokenLifeMsMax !== undefined && life > tokenLifeMsMax) {
    const most = durationText(tokenLifeMsMax);
    return refuse("invalid", "expiresIn", expiresIn, "is longer than the policy allows", `give at most ${most}`);
  }
  return now + life;
}

/** Where a new token may be used: networks that exist, and an account at which its user has a role. */
export function limitsOf(
  state: ReadonlyState,
  owner: User,
  { networks }: Pick<TokenCreate, "networks">,
  account: Account | undefined,
): Pick<AskedToken, "account" | "networks"> | Refusal {
  for (const [i, network] of (networks ?? []).entries()) {
    if (!isNetwork(network))
      return refuse("invalid", `networks.${i}`, network, "is not a network", "such as 10.1.0.0/16 or 2001:db8::/32");
  }
  if (account !== undefined && userWithin(state, owner, { account: account.no }).bindings.length === 0) {
    const why = "is an account at which the user of the token has no role";
    return refuse("invalid", "account", account.path, why, "name another account, or give the user a role first");
  }
  return {
    ...(account !== undefined && { account: account.path }),
    ...(networks !== undefined && { networks: [...new Set(networks)] }),
  };
}

/** What a token may be limited to: actions that exist, and none beyond those of the token that asks for it. */
export function scopesOf(
  asked: readonly string[] | undefined,
  holder: Pick<Token, "scopes">,
): readonly string[] | Refusal {
  const scopes = [...new Set(asked ?? holder.scopes)].sort();
  const known: readonly string[] = actions;
  const credentials: ReadonlySet<string> = credentialActions;
  for (const [i, scope] of scopes.entries()) {
    if (!known.includes(scope)) {
      return refuse("invalid", `scopes.${i}`, scope, "is not an action", `use any of ${known.join(", ")}`);
    }
    if (credentials.has(scope)) {
      return refuse(
        "invalid",
        `scopes.${i}`,
        scope,
        "changes credentials, which no token with scopes may",
        "leave it out, or make a token without scopes",
      );
    }
    if (holder.scopes.length > 0 && !holder.scopes.includes(scope)) {
      return refuse("not-allowed", `scopes.${i}`, scope, "is beyond the token you use", "use a token with more scopes");
    }
  }
  if (scopes.length === 0 && holder.scopes.length > 0) {
    return refuse("not-allowed", "scopes", null, "would be wider than those of the token you use", "name the scopes");
  }
  return scopes;
}

/** The secret part of a new token: with a key the same each time, so that the answer can be given again. */
export function mintFor(serverKey: Buffer, by: Asker): MintedToken {
  if (by.idempotency === undefined) return mintToken();
  return deriveToken(serverKey, by.actor.user, by.idempotency.key, by.idempotency.bodyHash);
}

export interface AskedToken {
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Instant;
  /** Path of the account that it is limited to. */
  readonly account?: string;
  readonly networks?: readonly string[];
}

/** Makes a token. Answers its id. */
export async function createToken(
  control: ControlPlane,
  by: Asker,
  owner: User,
  minted: MintedToken,
  asked: AskedToken,
): Promise<TokenId | Refusal> {
  const { prefix, hash } = minted;
  const id = newId("tok_") as TokenId;
  const done = await control.ask({ kind: "token.create", id, user: owner.id, prefix, hash, ...asked }, by);
  return isRefusal(done) ? done : (done.result as TokenId);
}
