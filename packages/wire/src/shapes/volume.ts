import { trusts } from "@tessera/core";
import Type, { type Static } from "typebox";
import { RoleName } from "./access.ts";
import { AccountPath, Line, Page, Timestamp } from "./common.ts";

export const PurposeName = Type.String({
  pattern: "^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$",
  maxLength: 63,
  title: "a purpose",
  description: "What the job is for, in a word such as training; grants of data may ask for it",
  examples: ["training"],
});

const someOf = { minItems: 1, maxItems: 64 };

/** All that is said must hold; what is left out holds for any job. */
export const Grant = Type.Object(
  {
    access: Type.Enum(["read", "write"]),
    accounts: Type.Optional(
      Type.Array(AccountPath, {
        ...someOf,
        description: "Jobs of these accounts and below, of other tenants too; left out: of the volume's own account",
      }),
    ),
    roles: Type.Optional(
      Type.Array(RoleName, { ...someOf, description: "The user has one of these at the account of the job" }),
    ),
    trust: Type.Optional(
      Type.Array(Type.Enum([...trusts]), { ...someOf, description: "How far the tenant of the job is trusted" }),
    ),
    regions: Type.Optional(Type.Array(Line(63), { ...someOf, description: "The job stays in one of these: region" })),
    purposes: Type.Optional(
      Type.Array(PurposeName, { ...someOf, description: "The job is for one of these: purpose" }),
    ),
  },
  { additionalProperties: false },
);
export type Grant = Static<typeof Grant>;

export const VolumeShape = Type.Object({
  account: Type.String(),
  name: Type.String(),
  mount: Type.String({ description: "As a job of the account that was asked for names it" }),
  path: Type.Optional(
    Type.String({ description: "The folder on the machines; told to the accounts that it belongs to" }),
  ),
  readOnly: Type.Boolean(),
  grants: Type.Optional(
    Type.Array(Grant, { description: "Which jobs may mount it; absent: those of the account and below" }),
  ),
  revision: Type.Optional(
    Type.String({ description: "Of its grants, where the caller may see them. Opaque; send as If-Match" }),
  ),
  createdAt: Timestamp,
});
export type VolumeShape = Static<typeof VolumeShape>;
export const VolumeList = Page(VolumeShape);

export const VolumePut = Type.Object(
  {
    path: Line(500, "An absolute folder of the machines, such as /srv/data"),
    readOnly: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export const GrantsPut = Type.Object(
  {
    grants: Type.Union([Type.Array(Grant, { maxItems: 32 }), Type.Null()], {
      description: "Any of them is enough. An empty list lets no job in; null: the account and those below",
    }),
  },
  { additionalProperties: false },
);
