import type { ExchangeShape } from "@tessera/wire";
import { fieldsText } from "../output/fields.ts";
import { type Paint, printable } from "../terminal.ts";
import type { Noun } from "./noun.ts";

export const exchange: Noun<ExchangeShape> = {
  name: "exchange",
  plural: "exchanges",
  list: "listExchanges",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  examples: ["tess exchange get", "tess exchange get github -o json"],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "issuer", text: ({ issuer }) => issuer, shrinks: true },
    { name: "claims", text: ({ rules }) => rules.map(ruleText).join(" "), shrinks: true },
    { name: "service-account", text: ({ serviceAccount }) => serviceAccount },
    { name: "account", text: ({ account }) => account, shrinks: true },
    { name: "life", text: ({ tokenLife }) => tokenLife },
    { name: "live", text: ({ live }) => String(live), raw: ({ live }) => live, right: true },
  ],
  queryOf: async () => ({}),
  page: (api, query) => api.call("listExchanges", { query }),
  load: async (session, name) => (await session.api()).call("getExchange", { at: { exchange: name } }),
  describe: describeExchange,
};

export function ruleText({ claim, value }: ExchangeShape["rules"][number]): string {
  return printable(`${claim}=${value}`);
}

function describeExchange(each: ExchangeShape, paint: Paint): string {
  return `${paint("bold", each.name)}\n${fieldsText(
    [
      ["Issuer", each.issuer],
      ["Keys", each.keys === "given" ? "given here; the issuer is not asked" : "asked for at the issuer"],
      ["Audience", each.audience],
      ["Claims", each.rules.map(ruleText).join(", ")],
      ["Gives", `a token of ${each.serviceAccount} at ${each.account} for ${each.tokenLife}`],
      ["Scopes", each.scopes.join(" ") || "all that the service account may, but credentials"],
      ["Each token", each.reusable ? "is exchanged as often as it is brought" : "is exchanged once"],
      ["Brought to", `the server's address and ${each.path}`],
      ["Live tokens", String(each.live)],
    ],
    paint,
    "  ",
  )}`;
}
