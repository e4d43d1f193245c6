import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import { rootAccount } from "../model/ids.ts";
import { fromProvider, type GroupRule, type ProviderTerms } from "../model/provider.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { isLastOwner } from "./access.ts";

type ProviderCommand = Extract<Command, { kind: `provider.${string}` }>;

const providersMax = 16;
const rulesMax = 200;
const listMax = 20;
const charsMax = 500;
const providerName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Providers of sign-ins and the rules by which their groups have roles. */
export function changeProviders(state: State, command: ProviderCommand, now: Instant): Decision {
  const { name } = command;
  const known = state.providers.get(name);
  if (command.kind === "provider.remove") {
    if (known === undefined) return refuse("not-found", "provider", name, "does not exist", "see: tess provider get");
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
  // People of another issuer with the same name are others: what the old one gave them goes.
  const kept = known === undefined || known.terms.issuer === terms.issuer ? terms.rules : [];
  return {
    events: [
      ...rolesWithout(state, name, kept, now),
      { kind: "provider-changed", v: 1, at: now, provider: name, terms },
    ],
    result: name,
  };
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
  const texts = [asked.issuer, asked.clientId, asked.label, asked.groupsClaim, ...asked.scopes, ...asked.acr];
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
  const from = fromProvider(provider);
  const given = new Set(rules.map(({ role, account }) => `${role} ${account}`));
  return [...state.users.values()].flatMap((user) =>
    user.bindings
      .filter((binding) => binding.from === from && !given.has(`${binding.role} ${binding.account}`))
      .filter(({ role }) => role !== "platform-owner" || !isLastOwner(state, user))
      .map(({ role, account }) => ({ kind: "role-unbound", v: 1, at: now, user: user.id, role, account }) as const),
  );
}
