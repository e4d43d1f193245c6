import type { Provider } from "@tessera/core";
import type { ProviderShape } from "@tessera/wire";
import { maySeeUser } from "../../access/policy.ts";
import { cannotSignIn } from "../../flow/people/access.ts";
import { previewRules, putProvider, removeProvider, rulesWithPaths } from "../../flow/sso/desk.ts";
import { logoutPath } from "../../flow/sso/logout.ts";
import { redirectPath } from "../../flow/sso/sign-ins.ts";
import { timestamp } from "../../render/quantities.ts";
import { notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";
import { userNamed } from "../guard/authorise.ts";
import { listing, pageOf } from "../request/page.ts";

type ProviderHandlers = {
  listProviders: Handler<"listProviders">;
  putProvider: Handler<"putProvider">;
  getProvider: Handler<"getProvider">;
  removeProvider: Handler<"removeProvider">;
  previewProvider: Handler<"previewProvider">;
  linkIdentity: Handler<"linkIdentity">;
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
    const refused = await putProvider({ control, vault, parties: sso.parties }, askerOf(call), name, call.body);
    return refused ?? show(api, named(api, name));
  },

  getProvider: (api, { params }) => show(api, named(api, params.provider!)),

  async removeProvider(api, call) {
    return (await removeProvider(api.control, askerOf(call), call.params.provider!)) ?? {};
  },

  previewProvider: (api, { params, body }) =>
    previewRules(api.control.state, api.people, named(api, params.provider!), body),

  async linkIdentity(api, call) {
    const { issuer } = named(api, call.params.provider!).terms;
    const user = userNamed(api, call.body.user);
    if (user === undefined || !maySeeUser(api.control.state, call.principal.user, user)) return notFound("user");
    if (user.service !== undefined) return cannotSignIn(api.people.nameOf(user.id));
    const { subject } = call.body;
    return (await api.sso.admission.link({ user: user.id, issuer, subject, groups: [] }, askerOf(call))) ?? {};
  },
};

/** One that the guard has found. */
function named(api: Api, name: string): Provider {
  return api.control.state.providers.get(name)!;
}

async function show(
  { control: { state, reader }, people }: Api,
  { name, terms, createdAt }: Provider,
): Promise<ProviderShape> {
  const { rules, scopes, acr, ...rest } = terms;
  return {
    ...{ name, ...rest, scopes: [...scopes], acr: [...acr], rules: rulesWithPaths(state, rules) },
    hasSecret: (await reader.privates("provider", [name])).size > 0,
    redirectPath: redirectPath(name),
    logoutPath: logoutPath(name),
    users: people.identities.ofIssuer(terms.issuer).length,
    createdAt: timestamp(createdAt),
  };
}
