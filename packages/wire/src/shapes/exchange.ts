import Type, { type Static } from "typebox";
import { AccountPath, Duration, Line, Page, Timestamp } from "./common.ts";

const Word = (maxLength: number, description: string) =>
  Type.String({ pattern: "^[!-~]+$", minLength: 1, maxLength, title: "a word without spaces", description });

export const ClaimRuleShape = Type.Object(
  {
    claim: Word(100, "The name of a claim, such as repository"),
    value: Line(500, "What it must be; * stands for characters other than / and :, ** for any"),
  },
  { additionalProperties: false },
);
export type ClaimRuleShape = Static<typeof ClaimRuleShape>;

const Said = {
  issuer: Type.String({
    pattern: "^https?://[!-~]{1,480}$",
    maxLength: 500,
    title: "an address that begins with https://",
    description: "The issuer, as its tokens name it: https://, or http:// on this machine",
  }),
  audience: Word(200, "The tokens must be made for it"),
  serviceAccount: Line(200, "The service account that the tokens are exchanged for, by name or id"),
  rules: Type.Array(ClaimRuleShape, { minItems: 1, maxItems: 20, description: "All must hold" }),
  scopes: Type.Array(Type.String({ pattern: "^[a-z]+\\.[a-z]+$", maxLength: 50, title: "an action" }), {
    maxItems: 50,
    description: "What the tokens may do; empty: all that the service account may, but credentials",
  }),
  account: AccountPath,
  tokenLife: Duration,
  reusable: Type.Boolean({ description: "The same token may be exchanged again: clusters keep theirs for an hour" }),
};

/** What is left out is as it was, or usual for a new exchange. */
export const ExchangePut = Type.Object(
  {
    ...{ issuer: Type.Optional(Said.issuer), audience: Type.Optional(Said.audience) },
    serviceAccount: Type.Optional(Said.serviceAccount),
    ...{ rules: Type.Optional(Said.rules), scopes: Type.Optional(Said.scopes) },
    ...{ account: Type.Optional(Said.account), tokenLife: Type.Optional(Said.tokenLife) },
    reusable: Type.Optional(Said.reusable),
    jwks: Type.Optional(
      Type.String({
        maxLength: 16_384,
        description: "The issuer's public keys as JSON, where it cannot be asked; empty: it is asked again",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ExchangePut = Static<typeof ExchangePut>;

export const ExchangeShape = Type.Object({
  name: Type.String(),
  ...Said,
  rules: Type.Array(Type.Object({ claim: Type.String(), value: Type.String() })),
  keys: Type.Enum(["asked", "given"], { description: "Whether the issuer is asked for its keys" }),
  path: Type.String({ description: "After the server's address: where tokens are brought" }),
  live: Type.Integer({ description: "Tokens that it made and that have not ended" }),
  createdAt: Timestamp,
});
export type ExchangeShape = Static<typeof ExchangeShape>;
export const ExchangePage = Page(ExchangeShape);

export const ExchangePreviewBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 8_192, description: "A token of the issuer; it is not used up" }) },
  { additionalProperties: false },
);
export const ExchangePreview = Type.Object({
  taken: Type.Boolean({ description: "Whether it would be exchanged" }),
  why: Type.Optional(Type.String({ description: "Why not" })),
  rules: Type.Array(
    Type.Object({
      claim: Type.String(),
      value: Type.String(),
      met: Type.Boolean(),
      found: Type.Optional(Type.String({ description: "What the token says; absent: nothing" })),
    }),
  ),
});
export type ExchangePreview = Static<typeof ExchangePreview>;
