import { durationText, type Exchange } from "@tessera/core";
import type { ExchangeShape } from "@tessera/wire";
import { previewExchange, putExchange, removeExchange } from "../../flow/exchange/desk.ts";
import { timestamp } from "../../render/quantities.ts";
import { notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";
import { userNamed } from "../guard/authorise.ts";
import { exchangePath } from "../guard/token-exchange.ts";
import { listing, pageOf } from "../request/page.ts";

type ExchangeHandlers = {
  listExchanges: Handler<"listExchanges">;
  putExchange: Handler<"putExchange">;
  getExchange: Handler<"getExchange">;
  removeExchange: Handler<"removeExchange">;
  previewExchange: Handler<"previewExchange">;
};

export const exchangeHandlers: ExchangeHandlers = {
  listExchanges(api, call) {
    const all = [...api.control.state.exchanges.values()];
    const list = listing(
      "exchanges",
      all,
      ({ name }) => name,
      (each) => show(api, each),
    );
    return pageOf(api.seal, list, call.query);
  },

  async putExchange(api, call) {
    const name = call.params.exchange!;
    const { serviceAccount } = call.body;
    const user = serviceAccount === undefined ? undefined : userNamed(api, serviceAccount);
    if (serviceAccount !== undefined && user === undefined)
      return notFound("user", serviceAccount, "See: tess service-account get", "serviceAccount");
    const ground = { control: api.control, issuers: api.exchanges.issuers };
    return (await putExchange(ground, askerOf(call), name, call.body, user)) ?? show(api, named(api, name));
  },

  getExchange: (api, { params }) => show(api, named(api, params.exchange!)),

  async removeExchange(api, call) {
    return (await removeExchange(api.control, askerOf(call), call.params.exchange!)) ?? {};
  },

  previewExchange: (api, { params, body }) =>
    previewExchange({ control: api.control, issuers: api.exchanges.issuers }, named(api, params.exchange!), body.token),
};

/** One that the guard has found. */
function named(api: Api, name: string): Exchange {
  return api.control.state.exchanges.get(name)!;
}

function show({ control: { state }, people }: Api, { name, terms, createdAt }: Exchange): ExchangeShape {
  const { issuer, audience, user, rules, scopes, account, tokenLifeMs, reusable = false, jwks } = terms;
  return {
    ...{ name, issuer, audience, serviceAccount: people.nameOf(user) || user, reusable },
    rules: rules.map((rule) => ({ ...rule })),
    scopes: [...scopes],
    account: state.accounts[account]?.path ?? "",
    tokenLife: durationText(tokenLifeMs),
    keys: jwks === undefined ? "asked" : "given",
    path: exchangePath,
    live: [...state.tokens.values()].filter(({ signIn }) => signIn?.exchange === name).length,
    createdAt: timestamp(createdAt),
  };
}
