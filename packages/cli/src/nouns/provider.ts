import type { ProviderShape } from "@tessera/wire";
import { fieldsText } from "../output/fields.ts";
import { type Paint, printable } from "../terminal.ts";
import type { Noun } from "./noun.ts";

export const provider: Noun<ProviderShape> = {
  name: "provider",
  plural: "providers",
  list: "listProviders",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  examples: ["tess provider get", "tess provider get corp -o json"],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "issuer", text: ({ issuer }) => issuer, shrinks: true },
    { name: "client", text: ({ clientId }) => clientId, shrinks: true },
    { name: "rules", text: ({ rules }) => String(rules.length), raw: ({ rules }) => rules.length, right: true },
    { name: "users", text: ({ users }) => String(users), raw: ({ users }) => users, right: true },
  ],
  queryOf: async () => ({}),
  page: (api, query) => api.call("listProviders", { query }),
  load: async (session, name) => (await session.api()).call("getProvider", { at: { provider: name } }),
  describe: describeProvider,
};

/** `ml=member@lab` */
export function ruleText({ group, role, account }: ProviderShape["rules"][number]): string {
  return printable(`${group}=${role}${account === "" ? "" : `@${account}`}`);
}

function describeProvider(each: ProviderShape, paint: Paint): string {
  return `${paint("bold", each.name)}\n${fieldsText(
    [
      ["Issuer", each.issuer],
      ["Client", `${each.clientId}${each.hasSecret ? ", with a secret" : ", without a secret"}`],
      ["Button", `Sign in with ${each.label}`],
      ["Scopes", ["openid", ...each.scopes].join(" ")],
      ["Groups", `claim ${each.groupsClaim}`],
      [
        "Rules",
        each.rules.length === 0 ? "none: people who sign in have no role" : each.rules.map(ruleText).join(", "),
      ],
      ["Second factor", each.acr.length === 0 ? undefined : `acr or amr ${each.acr.join(", ")}`],
      ["Redirect URI", `the server's address and ${each.redirectPath}`],
      ["Back-channel logout", `the server's address and ${each.logoutPath}`],
      ["Users", String(each.users)],
      ["SCIM", scimText(each)],
    ],
    paint,
    "  ",
  )}`;
}

/** What the identity system told, and the tokens with which it may call. */
function scimText({ scim, scimClaim }: ProviderShape): string {
  const { tokens, users, activeUsers, groups, path } = scim;
  if (tokens.length === 0 && users === 0) return "off; see: tess provider scim";
  const last = tokens.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).sort();
  return [
    `${activeUsers} active of ${users} users, ${groups} groups; last call ${last.at(-1) ?? "never"}`,
    `the server's address and ${path}; externalId is the claim ${scimClaim}`,
    ...tokens.map(({ id, prefix, createdAt }) => `${id} ${prefix}… made ${createdAt}`),
  ].join("; ");
}
