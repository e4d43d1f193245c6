import Type, { type Static } from "typebox";
import { CurrentPassword } from "./access.ts";
import { Line, Timestamp } from "./common.ts";

/** 43 characters of base64url: 32 bytes. */
const Secret = (description: string) =>
  Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", maxLength: 43, title: "43 characters A-Z a-z 0-9 _ -", description });

/** How `tess login` begins: a browser allows it, on this machine (`port`) or anywhere. */
export const LoginBegin = Type.Object(
  {
    challenge: Secret("SHA-256 of the verifier, as PKCE has it"),
    label: Line(60, "What asks, such as the name of a machine"),
    port: Type.Optional(
      Type.Integer({
        minimum: 1024,
        maximum: 65_535,
        description: "Of 127.0.0.1, where the program waits for the browser; absent = the code is typed or clicked",
      }),
    ),
  },
  { additionalProperties: false },
);
export const LoginBegun = Type.Object({
  login: Type.String({ description: "The code that a person compares, such as BCDF-GHJK" }),
  path: Type.String({ description: "After the server's address: where a browser allows it" }),
  expiresAt: Timestamp,
  intervalSeconds: Type.Integer({ description: "How often to ask for the token" }),
});

export const LoginShape = Type.Object({
  login: Type.String(),
  label: Type.String(),
  address: Type.String({ description: "Where it was begun" }),
  here: Type.Boolean({ description: "The program waits on the machine of the browser" }),
  expiresAt: Timestamp,
});
export type LoginShape = Static<typeof LoginShape>;

export const LoginAllow = Type.Object({ currentPassword: CurrentPassword }, { additionalProperties: false });
export const LoginAllowed = Type.Object({
  back: Type.Optional(Type.String({ description: "Where the browser goes now: to the program that waits" })),
});

export const LoginTake = Type.Object(
  {
    verifier: Secret("What the challenge was made from"),
    code: Type.Optional(Secret("What the browser brought")),
  },
  { additionalProperties: false },
);
export const LoginTaken = Type.Object({
  token: Type.Optional(Type.String({ description: "Absent: nobody has allowed it yet" })),
});
