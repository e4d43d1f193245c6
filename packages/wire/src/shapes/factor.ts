import { factorKinds } from "@tessera/core";
import Type, { type Static } from "typebox";
import { Line, Timestamp } from "./common.ts";

const bytes = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$", title: "bytes in base64url" });
const currentPassword = Type.Optional(
  Type.String({ minLength: 1, maxLength: 256, description: "Your own; needed if you have one" }),
);

export const FactorShape = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...factorKinds]),
  label: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Type.Optional(Timestamp),
  codesLeft: Type.Optional(Type.Integer({ description: "Of recovery codes: how many have not been used" })),
});
export type FactorShape = Static<typeof FactorShape>;
export const FactorList = Type.Object({
  needed: Type.Boolean({ description: "Whether you cannot work without one" }),
  items: Type.Array(FactorShape),
});

export const FactorOffer = Type.Object({ kind: Type.Enum(["totp", "passkey"]) }, { additionalProperties: false });
export const FactorOffered = Type.Object({
  secret: Type.Optional(Type.String({ description: "Of totp: what an authenticator app is given" })),
  uri: Type.Optional(Type.String({ description: "The same as a link" })),
  options: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Of passkey: for navigator.credentials.create" }),
  ),
});

/** A passkey as the browser made it. */
export const PasskeyMade = Type.Object(
  {
    id: bytes(1400),
    clientDataJSON: bytes(4000),
    attestationObject: bytes(12_000),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  },
  { additionalProperties: false },
);
export type PasskeyMade = Static<typeof PasskeyMade>;
export const FactorAdd = Type.Object(
  {
    label: Type.Optional(Line(100)),
    code: Type.Optional(Type.String({ pattern: "^[0-9]{6}$", maxLength: 6, title: "six digits" })),
    passkey: Type.Optional(PasskeyMade),
    currentPassword,
  },
  { additionalProperties: false, description: "The code of the app that was given the secret, or the passkey" },
);
export const RecoveryCodes = Type.Object({
  codes: Type.Array(Type.String(), { description: "Shown once; each is good once" }),
});
export const FactorAdded = Type.Object({ factor: FactorShape, codes: Type.Optional(RecoveryCodes.properties.codes) });

/** What a passkey signed. */
export const PasskeyShown = Type.Object(
  {
    id: bytes(1400),
    clientDataJSON: bytes(4000),
    authenticatorData: bytes(4000),
    signature: bytes(2000),
  },
  { additionalProperties: false },
);
export type PasskeyShown = Static<typeof PasskeyShown>;
export const FactorShow = Type.Object(
  {
    code: Type.Optional(
      Type.String({ minLength: 6, maxLength: 30, description: "Of the authenticator app, or a recovery code" }),
    ),
    passkey: Type.Optional(PasskeyShown),
  },
  { additionalProperties: false },
);
export type FactorShow = Static<typeof FactorShow>;
export const SignInChallenge = Type.Object({
  options: Type.Record(Type.String(), Type.Unknown(), { description: "For navigator.credentials.get" }),
});
export const FactorChallenge = Type.Object({
  kinds: Type.Array(Type.Enum(["totp", "passkey"])),
  options: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "For navigator.credentials.get, where there are passkeys",
    }),
  ),
});
