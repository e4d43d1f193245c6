import type { Command, ExchangeAsked } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import { durationText } from "../model/duration.ts";
import { type ExchangeTerms, exchangeLifeBounds, wrongClaimValue } from "../model/exchange.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";

type ExchangeCommand = Extract<Command, { kind: `exchange.${string}` }>;

const exchangesMax = 200;
const rulesMax = 20;
const scopesMax = 50;
const charsMax = 500;
const jwksCharsMax = 16_384;
const exchangeName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Which tokens of other systems are exchanged. Those made by earlier terms end: they may say what is no longer meant. */
export function changeExchanges(state: State, command: ExchangeCommand, now: Instant): Decision {
  const { name } = command;
  const known = state.exchanges.get(name);
  if (command.kind === "exchange.remove") {
    if (known === undefined) return refuse("not-found", "exchange", name, "does not exist", "see: tess exchange get");
    return { events: [...tokensEnded(state, name, now), { kind: "exchange-changed", v: 1, at: now, exchange: name }] };
  }
  if (!exchangeName.test(name)) {
    const fix = "write at most 40 letters a-z, digits and -, such as github";
    return refuse("invalid", "name", name, "is not a name for an exchange", fix);
  }
  if (known === undefined && state.exchanges.size >= exchangesMax)
    return refuse("conflict", "name", name, `would be one exchange more than ${exchangesMax}`, "remove one first");
  const terms = termsOf(state, command.terms);
  if ("refused" in terms) return terms;
  return {
    events: [...tokensEnded(state, name, now), { kind: "exchange-changed", v: 1, at: now, exchange: name, terms }],
    result: name,
  };
}

function termsOf(state: State, asked: ExchangeAsked): ExchangeTerms | Refusal {
  const mistakes: Refusal[] = [];
  const say = (field: string, value: string | number, why: string, fix: string) =>
    mistakes.push(refuse("invalid", field, value, why, fix));
  const user = state.users.get(asked.user);
  if (user?.service === undefined)
    say("user", asked.user, "is not a service account", "make one: tess service-account create");
  const account = state.accountByPath.get(asked.account);
  if (account === undefined)
    mistakes.push(refuse("not-found", "account", asked.account, "does not exist", "see: tess account tree"));
  const { leastMs, mostMs, plainMs } = exchangeLifeBounds;
  if (asked.tokenLifeMs < leastMs || asked.tokenLifeMs > mostMs) {
    const range = `${durationText(leastMs)} to ${durationText(mostMs)}`;
    const fix = `such as ${durationText(plainMs)}`;
    say("tokenLife", durationText(asked.tokenLifeMs), `is not in the range ${range}`, fix);
  }
  if (asked.rules.length === 0)
    say("rules", 0, "are missing: every token of the issuer would be taken", "name a claim, such as sub");
  if (asked.rules.length > rulesMax) say("rules", asked.rules.length, `are more than ${rulesMax}`, "leave some out");
  if (asked.scopes.length > scopesMax)
    say("scopes", asked.scopes.length, `are more than ${scopesMax}`, "leave some out");
  for (const [i, { value }] of asked.rules.entries()) {
    const wrong = wrongClaimValue(value);
    if (wrong !== undefined) say(`rules.${i}.value`, value, wrong, "write what must be there, such as refs/heads/main");
  }
  const texts = [asked.issuer, asked.audience, ...asked.rules.flatMap(({ claim, value }) => [claim, value])];
  for (const text of texts)
    if (text.length > charsMax) say("terms", text.slice(0, 40), `has more than ${charsMax} characters`, "shorten it");
  if ((asked.jwks?.length ?? 0) > jwksCharsMax)
    say("jwks", asked.jwks!.length, `has more than ${jwksCharsMax} characters`, "give only the keys that sign tokens");
  return refuseAll(mistakes) ?? { ...asked, account: account!.no };
}

function tokensEnded(state: State, exchange: string, now: Instant): Event[] {
  const made = [...state.tokens.values()].filter(({ signIn }) => signIn?.exchange === exchange);
  return made.map(({ id }) => ({ kind: "token-revoked", v: 1, at: now, token: id }) as const);
}
