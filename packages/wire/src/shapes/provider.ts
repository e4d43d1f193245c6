import Type, { type Static } from "typebox";
import { RoleName } from "./access.ts";
import { AccountPath, Line, Page, Timestamp } from "./common.ts";
import { FleetName } from "./engine.ts";

const Url = Type.String({
  pattern: "^https?://[!-~]{1,480}$",
  maxLength: 500,
  title: "an address that begins with https://",
  description: "The issuer, as the provider names itself: https://, or http:// on this machine",
});

const Word = (maxLength: number, description?: string) =>
  Type.String({
    pattern: "^[!-~]+$",
    minLength: 1,
    maxLength,
    title: "a word without spaces",
    ...(description !== undefined && { description }),
  });

export const GroupRuleShape = Type.Object(
  {
    group: Line(200, "A group of the provider, spelled as it spells it"),
    role: RoleName,
    account: Type.Union([AccountPath, Type.Literal("")]),
  },
  { additionalProperties: false },
);
export type GroupRuleShape = Static<typeof GroupRuleShape>;
const Rules = Type.Array(GroupRuleShape, { maxItems: 200, description: "Members of the group have the role" });

const Said = {
  issuer: Url,
  clientId: Word(200, "The client that is registered for this server at the provider"),
  label: Line(40, "On the button of the sign-in page"),
  scopes: Type.Array(Word(100), { maxItems: 20, description: "Asked for beside openid" }),
  groupsClaim: Word(200, "The claim that lists groups"),
  rules: Rules,
  acr: Type.Array(Word(200), { maxItems: 20, description: "Values of acr or amr that count as a second factor" }),
  scimClaim: Word(200, "The claim that holds what SCIM calls externalId; usually sub, with Entra ID oid"),
};

const ScimTokenShape = Type.Object({
  id: Type.String(),
  prefix: Type.String({ description: "The first characters, to recognise it by" }),
  createdAt: Timestamp,
  lastUsedAt: Type.Optional(Timestamp),
});

/** What the identity system of a provider told by SCIM. */
export const ScimShape = Type.Object({
  path: Type.String({ description: "After the server's address: what the identity system calls" }),
  tokens: Type.Array(ScimTokenShape, { description: "With which it may call; none: it may not" }),
  users: Type.Integer(),
  activeUsers: Type.Integer(),
  groups: Type.Integer(),
});

export const ScimTokenCreated = Type.Object({
  id: Type.String(),
  prefix: Type.String(),
  createdAt: Timestamp,
  path: Type.String({ description: "After the server's address: what the identity system calls" }),
  token: Type.String({ description: "Shown once" }),
});

export const ProviderShape = Type.Object({
  name: Type.String(),
  ...Said,
  rules: Type.Array(Type.Object({ group: Type.String(), role: RoleName, account: Type.String() })),
  hasSecret: Type.Boolean(),
  redirectPath: Type.String({ description: "After the server's address: the redirect URI to register" }),
  logoutPath: Type.String({ description: "After the server's address: the back-channel logout URI to register" }),
  users: Type.Integer({ description: "People who signed in with it, or were linked" }),
  scim: ScimShape,
  createdAt: Timestamp,
});
export type ProviderShape = Static<typeof ProviderShape>;
export const ProviderPage = Page(ProviderShape);

/** What is left out is as it was, or usual for a new provider. */
export const ProviderPut = Type.Object(
  {
    issuer: Type.Optional(Said.issuer),
    clientId: Type.Optional(Said.clientId),
    clientSecret: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: "Sealed, and never shown; none for a public client" }),
    ),
    label: Type.Optional(Said.label),
    scopes: Type.Optional(Said.scopes),
    groupsClaim: Type.Optional(Said.groupsClaim),
    rules: Type.Optional(Said.rules),
    acr: Type.Optional(Said.acr),
    scimClaim: Type.Optional(Said.scimClaim),
  },
  { additionalProperties: false },
);
export type ProviderPut = Static<typeof ProviderPut>;

export const ProviderPreviewBody = Type.Object(
  {
    rules: Type.Optional(Rules),
    groups: Type.Optional(
      Type.Array(Line(200), { maxItems: 200, description: "What someone in these groups would have" }),
    ),
  },
  { additionalProperties: false },
);
const Held = Type.Array(Type.Object({ role: RoleName, account: Type.String() }));
export const ProviderPreview = Type.Object({
  given: Type.Optional(Held),
  users: Type.Array(
    Type.Object({
      user: Type.String(),
      name: Type.String(),
      groups: Type.Array(Type.String(), { description: "As of the last sign-in" }),
      gains: Held,
      loses: Held,
    }),
    { description: "Whose roles would change: what no rule gives goes at once, the rest comes at the next sign-in" },
  ),
  more: Type.Integer({ description: "Further users whose roles would change" }),
});
export type ProviderPreview = Static<typeof ProviderPreview>;

export const IdentityLink = Type.Object(
  {
    user: Line(200, "An existing user, by name or id"),
    subject: Line(255, "What the provider calls this person: the claim sub, or externalId where it came by SCIM"),
  },
  { additionalProperties: false },
);

/** The page goes to `url`, where the provider asks who it is. */
export const SignInBegin = Type.Object(
  { provider: FleetName("The name of the provider, such as corp") },
  { additionalProperties: false },
);
export const SignInBegun = Type.Object({ url: Type.String() });
