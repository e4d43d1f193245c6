import {
  fromProvider,
  fromScim,
  type GroupRule,
  isRefusal,
  type ProviderTerms,
  type ReadonlyState,
  type Refusal,
  refuse,
} from "@tessera/core";
import type { GroupRuleShape, ProviderPreview, ProviderPut } from "@tessera/wire";
import type { People } from "../../access/people.ts";
import type { Vault } from "../../access/vault.ts";
import type { Asker, ControlPlane } from "../control.ts";
import type { Listings } from "../scim/listings.ts";
import { isSafeAddress, ProviderFault } from "./bounded-fetch.ts";
import { noSecret, type Parties, secretRow } from "./parties.ts";
import { type Given, rolesBy } from "./rules.ts";

const usual = { scopes: ["profile", "email"], groupsClaim: "groups", rules: [], acr: [] } as const;
const changesShownMax = 200;

/** Makes or changes a provider after it was asked what it says of itself; a refusal changes nothing. */
export async function putProvider(
  { control, vault, parties, listings }: { control: ControlPlane; vault: Vault; parties: Parties; listings: Listings },
  by: Asker,
  name: string,
  { clientSecret, ...asked }: ProviderPut,
): Promise<Refusal | undefined> {
  const known = control.state.providers.get(name)?.terms;
  const issuer = asked.issuer ?? known?.issuer;
  const clientId = asked.clientId ?? known?.clientId;
  if (issuer === undefined) return missing("issuer", "give the address of the provider: --issuer URL");
  if (clientId === undefined) return missing("clientId", "give the id of the client: --client-id ID");
  if (!URL.canParse(issuer) || !isSafeAddress(new URL(issuer)))
    return refuse("invalid", "issuer", issuer, "does not speak TLS", "give an address that begins with https://");
  const rules = asked.rules ?? (known && rulesWithPaths(control.state, known.rules)) ?? usual.rules;
  const scimClaim = asked.scimClaim ?? known?.scimClaim ?? "sub";
  const terms = {
    ...(scimClaim !== "sub" && { scimClaim }),
    ...{ issuer, clientId, label: asked.label ?? known?.label ?? name, rules },
    scopes: asked.scopes ?? known?.scopes ?? usual.scopes,
    groupsClaim: asked.groupsClaim ?? known?.groupsClaim ?? usual.groupsClaim,
    acr: asked.acr ?? known?.acr ?? usual.acr,
  };
  const isOther = known?.issuer !== issuer || known.clientId !== clientId;
  if (isOther || clientSecret !== undefined) {
    try {
      await parties.discover(terms, undefined);
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      const why = `does not lead to a usable provider: ${error.message}`;
      return refuse("invalid", "issuer", issuer, why, "give the issuer exactly as the provider names itself");
    }
  }
  // The secret of one client is nothing for another one, and nothing for another provider.
  const rows =
    clientSecret !== undefined
      ? [await secretRow(vault, name, clientSecret)]
      : isOther && known !== undefined
        ? [noSecret(name)]
        : [];
  const done = await control.ask({ kind: "provider.set", name, terms }, by, rows);
  if (isRefusal(done)) return done;
  if (known !== undefined && known.issuer !== issuer) return listings.forgetAll(name, by);
  return listings.followAll(control.state.providers.get(name)!, by);
}

export async function removeProvider(
  { control, listings }: { control: ControlPlane; listings: Listings },
  by: Asker,
  name: string,
): Promise<Refusal | undefined> {
  const done = await control.ask({ kind: "provider.remove", name }, by, [noSecret(name)]);
  return isRefusal(done) ? done : listings.forgetAll(name, by);
}

export function rulesWithPaths(state: ReadonlyState, rules: readonly GroupRule[]): GroupRuleShape[] {
  return rules.flatMap(({ group, role, account }) => {
    const path = state.accounts[account]?.path;
    return path === undefined ? [] : [{ group, role, account: path }];
  });
}

/** What rules would give and take from the people who signed in with the provider. */
export function previewRules(
  state: ReadonlyState,
  people: People,
  { name, terms }: { readonly name: string; readonly terms: ProviderTerms },
  asked: { readonly rules?: readonly GroupRuleShape[]; readonly groups?: readonly string[] },
): ProviderPreview | Refusal {
  const rules: GroupRule[] = [];
  for (const [i, { account: path, ...rule }] of (asked.rules ?? rulesWithPaths(state, terms.rules)).entries()) {
    const account = state.accountByPath.get(path);
    if (account === undefined)
      return refuse("not-found", `rules.${i}.account`, path, "is not an account", "see: tess account tree");
    rules.push({ ...rule, account: account.no });
  }
  const { directory } = people;
  const told = directory.groups(name).length > 0 ? directory.people(name) : [];
  const known = new Map(people.identities.ofIssuer(terms.issuer).map(({ user, groups }) => [user, groups]));
  for (const person of told) known.set(person.user, directory.groupNamesOf(person));
  const sources = [fromProvider(name), fromScim(name)];
  const changed = [...known].flatMap(([id, groups]) => {
    const user = state.users.get(id);
    if (user === undefined) return [];
    const held = user.bindings.map(({ role, account, from: source }) => ({
      ...{ role, account: state.accounts[account]!.path, source },
    }));
    const given = rolesBy(state, rules, groups);
    const has = (list: readonly Given[], one: Given) =>
      list.some(({ role, account }) => role === one.role && account === one.account);
    const gains = given.filter((one) => !has(held, one));
    const loses = held.filter((one) => one.source !== undefined && sources.includes(one.source) && !has(given, one));
    if (gains.length === 0 && loses.length === 0) return [];
    const plain = loses.map(({ role, account }) => ({ role, account }));
    return [{ user: id, name: people.nameOf(id), groups: [...groups], gains, loses: plain }];
  });
  return {
    ...(asked.groups !== undefined && { given: rolesBy(state, rules, asked.groups) }),
    users: changed.slice(0, changesShownMax),
    more: Math.max(0, changed.length - changesShownMax),
  };
}

function missing(field: string, hint: string): Refusal {
  return refuse("invalid", field, null, "is missing", hint);
}
