import { isRefusal, type Provider, type TokenId } from "@tessera/core";
import type { ProviderShape } from "@tessera/wire";
import { maySeeUser } from "../../access/policy.ts";
import { mintScimToken } from "../../access/scim-token.ts";
import { newId } from "../../flow/ids.ts";
import { cannotSignIn } from "../../flow/people/access.ts";
import { previewRules, putProvider, removeProvider, rulesWithPaths } from "../../flow/sso/desk.ts";
import { logoutPath } from "../../flow/sso/logout.ts";
import { redirectPath } from "../../flow/sso/sign-ins.ts";
import { timestamp } from "../../render/quantities.ts";
import { notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";
import { userNamed } from "../guard/authorise.ts";
import { listing, pageOf } from "../request/page.ts";
import { scimPath } from "../scim/show.ts";

type ProviderHandlers = {
  listProviders: Handler<"listProviders">;
  putProvider: Handler<"putProvider">;
  getProvider: Handler<"getProvider">;
  removeProvider: Handler<"removeProvider">;
  previewProvider: Handler<"previewProvider">;
  linkIdentity: Handler<"linkIdentity">;
  createScimToken: Handler<"createScimToken">;
  revokeScimToken: Handler<"revokeScimToken">;
};

export const providerHandlers: ProviderHandlers = {
  async listProviders(api, call) {
    const shown = await Promise.all([...api.control.state.providers.values()].map((each) => show(api, each)));
    return pageOf(
      api.seal,
      listing(
        "providers",
        shown,
        ({ name }) => name,
        (each) => each,
      ),
      call.query,
    );
  },

  async putProvider(api, call) {
    const { control, vault, sso } = api;
    const name = call.params.provider!;
    const ground = { control, vault, parties: sso.parties, listings: sso.scim.listings };
    const refused = await putProvider(ground, askerOf(call), name, call.body);
    return refused ?? show(api, named(api, name));
  },

  getProvider: (api, { params }) => show(api, named(api, params.provider!)),

  async removeProvider(api, call) {
    const { control, sso } = api;
    const ground = { control, listings: sso.scim.listings };
    return (await removeProvider(ground, askerOf(call), call.params.provider!)) ?? {};
  },

  previewProvider: (api, { params, body }) =>
    previewRules(api.control.state, api.people, named(api, params.provider!), body),

  async linkIdentity(api, call) {
    const provider = named(api, call.params.provider!);
    const user = userNamed(api, call.body.user);
    if (user === undefined || !maySeeUser(api.control.state, call.principal.user, user)) return notFound("user");
    if (user.service !== undefined) return cannotSignIn(api.people.nameOf(user.id));
    return (await api.sso.admission.link(provider, call.body.subject, user, askerOf(call))) ?? {};
  },

  async createScimToken({ control }, call) {
    const provider = call.params.provider!;
    const { token, prefix, hash } = mintScimToken();
    const id = newId("tok_") as TokenId;
    const done = await control.ask({ kind: "scim.open", provider, id, prefix, hash }, askerOf(call));
    if (isRefusal(done)) return done;
    return { id, prefix, createdAt: timestamp(done.at), path: scimPath, token };
  },

  async revokeScimToken({ control }, call) {
    const { provider, token } = call.params;
    const command = { kind: "scim.close", provider: provider!, token: token as TokenId } as const;
    const done = await control.ask(command, askerOf(call));
    return isRefusal(done) ? done : {};
  },
};

/** One that the guard has found. */
function named(api: Api, name: string): Provider {
  return api.control.state.providers.get(name)!;
}

async function show(api: Api, provider: Provider): Promise<ProviderShape> {
  const { state, reader } = api.control;
  const { people } = api;
  const { name, terms, createdAt } = provider;
  const { rules, scopes, acr, scimClaim = "sub", ...rest } = terms;
  return {
    ...{ name, ...rest, scopes: [...scopes], acr: [...acr], rules: rulesWithPaths(state, rules), scimClaim },
    hasSecret: (await reader.privates("provider", [name])).size > 0,
    redirectPath: redirectPath(name),
    logoutPath: logoutPath(name),
    users: people.identities.ofIssuer(terms.issuer).length,
    scim: scimOf(api, provider),
    createdAt: timestamp(createdAt),
  };
}

/** What its identity system told, and when it called last. */
function scimOf({ control: { state }, people: { directory }, tokenUse }: Api, { name, scim = [] }: Provider) {
  const told = directory.people(name);
  return {
    path: scimPath,
    tokens: scim.map(({ id, prefix, createdAt }) => {
      const usedAt = tokenUse.lastUsedAt(id);
      return {
        ...{ id, prefix, createdAt: timestamp(createdAt) },
        ...(usedAt !== undefined && { lastUsedAt: timestamp(usedAt) }),
      };
    }),
    users: told.length,
    activeUsers: told.filter(({ active, user }) => active && state.users.get(user)?.disabled === false).length,
    groups: directory.groups(name).length,
  };
}
