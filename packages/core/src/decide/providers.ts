import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import { rootAccount } from "../model/ids.ts";
import { fromProvider, fromScim, type GroupRule, type Provider, type ProviderTerms } from "../model/provider.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { isLastOwner } from "./access.ts";

type ProviderCommand = Extract<Command, { kind: `provider.${string}` | `scim.${string}` }>;

const providersMax = 16;
/** One that works, and the next one while it takes its place. */
const scimTokensMax = 2;
const rulesMax = 200;
const listMax = 20;
const charsMax = 500;
const providerName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Providers of sign-ins and the rules by which their groups have roles. */
export function changeProviders(state: State, command: ProviderCommand, now: Instant): Decision {
  if (command.kind === "scim.open" || command.kind === "scim.close") return changeScim(state, command, now);
  const { name } = command;
  const known = state.providers.get(name);
  if (command.kind === "provider.remove") {
    if (known === undefined) return noProvider(name);
    const ended = [...state.tokens.values()].filter(({ signIn }) => signIn?.provider === name);
    return {
      events: [
        ...rolesWithout(state, name, [], now),
        ...ended.map(({ id }) => ({ kind: "token-revoked", v: 1, at: now, token: id }) as const),
        { kind: "provider-changed", v: 1, at: now, provider: name },
      ],
    };
  }
  if (!providerName.test(name)) {
    const why = "is not a name for a provider";
    return refuse("invalid", "name", name, why, "write at most 40 letters a-z, digits and -, such as corp");
  }
  if (known === undefined && state.providers.size >= providersMax)
    return refuse("conflict", "name", name, `would be one provider more than ${providersMax}`, "remove one first");
  const terms = termsOf(state, command.terms);
  if ("refused" in terms) return terms;
  const sameIssuer = [...state.providers.values()].find(
    (other) => other.name !== name && other.terms.issuer === terms.issuer,
  );
  if (sameIssuer !== undefined)
    return refuse("conflict", "issuer", terms.issuer, `is that of ${sameIssuer.name}`, "change that provider instead");
  // People of another issuer with the same name are others: what the old one gave them goes, and it may say no more.
  const isOther = known !== undefined && known.terms.issuer !== terms.issuer;
  return {
    events: [
      ...rolesWithout(state, name, isOther ? [] : terms.rules, now),
      { kind: "provider-changed", v: 1, at: now, provider: name, terms },
      ...(isOther && known.scim !== undefined ? [scimChanged(known, [], now)] : []),
    ],
    result: name,
  };
}

/** Gives the identity system of a provider a token, or takes one back. */
function changeScim(state: State, command: Extract<Command, { kind: `scim.${string}` }>, now: Instant): Decision {
  const provider = state.providers.get(command.provider);
  if (provider === undefined) return noProvider(command.provider);
  const tokens = provider.scim ?? [];
  if (command.kind === "scim.close") {
    const { token } = command;
    const left = tokens.filter(({ id }) => id !== token);
    if (left.length < tokens.length) return { events: [scimChanged(provider, left, now)] };
    return refuse("not-found", "token", token, "is not a SCIM token of this provider", "see: tess provider get");
  }
  const { id, prefix, hash } = command;
  if (tokens.length >= scimTokensMax) {
    const why = `would be one SCIM token more than ${scimTokensMax}`;
    return refuse("conflict", "provider", provider.name, why, "revoke one first: tess provider scim NAME --revoke ID");
  }
  return { events: [scimChanged(provider, [...tokens, { id, prefix, hash, createdAt: now }], now)], result: id };
}

function scimChanged({ name }: Provider, tokens: NonNullable<Provider["scim"]>, now: Instant): Event {
  return { kind: "scim-changed", v: 1, at: now, provider: name, tokens };
}

function noProvider(name: string): Refusal {
  return refuse("not-found", "provider", name, "does not exist", "see: tess provider get");
}

function termsOf(
  state: State,
  { rules, ...asked }: Extract<Command, { kind: "provider.set" }>["terms"],
): ProviderTerms | Refusal {
  const mistakes: Refusal[] = [];
  if (rules.length > rulesMax)
    mistakes.push(refuse("invalid", "rules", rules.length, `are more than ${rulesMax}`, "leave some out"));
  for (const field of ["scopes", "acr"] as const)
    if (asked[field].length > listMax)
      mistakes.push(refuse("invalid", field, asked[field].length, `are more than ${listMax}`, "leave some out"));
  const { issuer, clientId, label, groupsClaim, scimClaim = "" } = asked;
  const texts = [issuer, clientId, label, groupsClaim, scimClaim, ...asked.scopes, ...asked.acr];
  for (const text of [...texts, ...rules.map(({ group }) => group)])
    if (text.length > charsMax)
      mistakes.push(
        refuse("invalid", "terms", text.slice(0, 40), `has more than ${charsMax} characters`, "shorten it"),
      );
  const found: GroupRule[] = [];
  for (const [i, { group, role, account: path }] of rules.entries()) {
    const account = state.accountByPath.get(path);
    if (account === undefined)
      mistakes.push(refuse("not-found", `rules.${i}.account`, path, "is not an account", "see: tess account tree"));
    else if (role === "platform-owner" && account.no !== rootAccount)
      mistakes.push(
        refuse(
          "invalid",
          `rules.${i}.account`,
          path,
          "cannot be given: the role platform-owner holds for the whole platform",
          "leave the account empty",
        ),
      );
    else found.push({ group, role, account: account.no });
  }
  return refuseAll(mistakes) ?? { ...asked, rules: found };
}

/** Takes away what no rule of the provider gives any more. */
function rolesWithout(state: State, provider: string, rules: readonly GroupRule[], now: Instant): Event[] {
  const sources = [fromProvider(provider), fromScim(provider)];
  const given = new Set(rules.map(({ role, account }) => `${role} ${account}`));
  return [...state.users.values()].flatMap((user) =>
    user.bindings
      .filter(
        ({ from, ...binding }) =>
          from !== undefined && sources.includes(from) && !given.has(`${binding.role} ${binding.account}`),
      )
      .filter(({ role }) => role !== "platform-owner" || !isLastOwner(state, user))
      .map(({ role, account }) => ({ kind: "role-unbound", v: 1, at: now, user: user.id, role, account }) as const),
  );
}
