import {
  accountOf,
  type Exchange,
  exchangeLifeBounds,
  isRefusal,
  parseDuration,
  type ReadonlyState,
  type Refusal,
  refuse,
  type User,
} from "@tessera/core";
import type { ExchangePreview, ExchangePut } from "@tessera/wire";
import type { Asker, ControlPlane } from "../control.ts";
import { scopesOf } from "../people/tokens.ts";
import { ProviderFault } from "../sso/bounded-fetch.ts";
import { type Issuers, keysIn } from "./issuers.ts";
import { isMet, issuerOf, verify } from "./verify.ts";

/** Makes an exchange or changes what is given of one. Its issuer is asked first; where that fails, nothing changes. */
export async function putExchange(
  { control, issuers }: { readonly control: ControlPlane; readonly issuers: Issuers },
  by: Asker,
  name: string,
  body: ExchangePut,
  user: User | undefined,
): Promise<Refusal | undefined> {
  const { state } = control;
  const known = state.exchanges.get(name)?.terms;
  const issuer = body.issuer ?? known?.issuer;
  const audience = body.audience ?? known?.audience;
  const rules = body.rules ?? known?.rules;
  const service = user?.id ?? known?.user;
  if (issuer === undefined) return missing("issuer", "name it, such as https://token.actions.githubusercontent.com");
  if (audience === undefined) return missing("audience", "name what its tokens are made for, such as tessera");
  if (rules === undefined) return missing("rules", "name a claim that must hold, such as repository");
  if (service === undefined) return missing("serviceAccount", "make one first: tess service-account create");
  const scopes = scopesOf(body.scopes ?? known?.scopes ?? [], { scopes: [] });
  if (isRefusal(scopes)) return scopes;
  const life = body.tokenLife === undefined ? undefined : parseDuration(body.tokenLife, "tokenLife");
  if (isRefusal(life)) return life;
  const account = body.account ?? pathOf(state, known?.account ?? state.users.get(service)?.service);
  const jwks = body.jwks === "" ? undefined : (body.jwks ?? (body.issuer === undefined ? known?.jwks : undefined));
  const fault = await faultWith(issuers, issuer, jwks);
  if (fault !== undefined) return fault;
  const terms = {
    ...{ issuer, audience, user: service, rules, scopes, account: account ?? "" },
    tokenLifeMs: life ?? known?.tokenLifeMs ?? exchangeLifeBounds.plainMs,
    ...((body.reusable ?? known?.reusable) && { reusable: true as const }),
    ...(jwks !== undefined && { jwks }),
  };
  const done = await control.ask({ kind: "exchange.set", name, terms }, by);
  return isRefusal(done) ? done : undefined;
}

export async function removeExchange(control: ControlPlane, by: Asker, name: string): Promise<Refusal | undefined> {
  const done = await control.ask({ kind: "exchange.remove", name }, by);
  return isRefusal(done) ? done : undefined;
}

/** What would become of a token. Nothing is made, and the token can still be exchanged. */
export async function previewExchange(
  { control, issuers }: { readonly control: Pick<ControlPlane, "now">; readonly issuers: Issuers },
  exchange: Exchange,
  token: string,
): Promise<ExchangePreview> {
  const { rules } = exchange.terms;
  try {
    if (issuerOf(token) !== exchange.terms.issuer) throw new ProviderFault("it is a token of another issuer");
    const { claims } = await verify(issuers, exchange, token, control.now());
    const seen = rules.map((rule) => ({
      ...rule,
      met: isMet(rule, claims),
      ...(Object.hasOwn(claims, rule.claim) && { found: String(claims[rule.claim]).slice(0, 500) }),
    }));
    const taken = seen.every(({ met }) => met);
    return { taken, ...(!taken && { why: "its claims are not those that the exchange asks for" }), rules: seen };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    // What a token says that is not believed says nothing.
    return { taken: false, why: error.message, rules: rules.map((rule) => ({ ...rule, met: false })) };
  }
}

async function faultWith(issuers: Issuers, issuer: string, jwks: string | undefined): Promise<Refusal | undefined> {
  try {
    if (!URL.canParse(issuer)) throw new ProviderFault("it is not an address");
    if (jwks !== undefined) keysIn(jwks);
    else await issuers.keysOf({ issuer });
    return undefined;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (jwks !== undefined) return refuse("invalid", "jwks", null, `cannot be used: ${error.message}`, "give a JWKS");
    const fix = "check the address, or give its public keys: --jwks-file";
    return refuse("invalid", "issuer", issuer, `cannot be used: ${error.message}`, fix);
  }
}

function pathOf(state: ReadonlyState, account: Exchange["terms"]["account"] | undefined): string | undefined {
  return account === undefined || state.accounts[account] === undefined ? undefined : accountOf(state, account).path;
}

function missing(field: string, fix: string): Refusal {
  return refuse("invalid", field, null, "is missing", fix);
}
