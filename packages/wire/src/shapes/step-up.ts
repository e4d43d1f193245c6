import Type, { type Static } from "typebox";
import { Line, Timestamp } from "./common.ts";
import { LoginBegin, LoginBegun, LoginShape } from "./login.ts";

/** How `tess` begins to ask its person for a second factor: in a browser on this machine (`port`) or anywhere. */
export const StepUpBegin = Type.Object(
  {
    request: Line(60, "The id of the request that was refused with step-up-required"),
    challenge: LoginBegin.properties.challenge,
    port: LoginBegin.properties.port,
  },
  { additionalProperties: false },
);
export const StepUpBegun = Type.Object({
  code: Type.String({ description: "What a person compares, such as BCDF-GHJK" }),
  path: LoginBegun.properties.path,
  expiresAt: Timestamp,
  intervalSeconds: Type.Integer({ description: "How often to ask whether it was shown" }),
});

export const StepUpShape = Type.Object({
  code: Type.String(),
  label: Type.String({ description: "The label of the token that asks, with the name of its machine" }),
  address: LoginShape.properties.address,
  here: LoginShape.properties.here,
  expiresAt: Timestamp,
  act: Type.String({ description: "What was refused" }),
  request: Type.String({ description: "Its method and address" }),
  fields: Type.Array(Type.String(), { description: "What tells it from others; never a secret" }),
  asks: Type.Enum(["factor", "nothing", "sign-in"], {
    description:
      "What allowing it takes; nothing: this session was opened for it with a factor; sign-in: with your provider, again",
  }),
});
export type StepUpShape = Static<typeof StepUpShape>;
export const StepUpTaken = Type.Object({ shown: Type.Boolean({ description: "False: not yet" }) });
