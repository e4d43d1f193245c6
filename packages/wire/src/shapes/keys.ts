import Type, { type Static } from "typebox";
import { AccountPath, Timestamp } from "./common.ts";

/** What seals what is kept; of the key itself nothing is shown. */
export const DataKeyShape = Type.Object({
  id: Type.String(),
  account: Type.Union([AccountPath, Type.Null()], { description: "The tenant; null for the platform itself" }),
  version: Type.Integer(),
  madeAt: Timestamp,
  seals: Type.Boolean({ description: "Whether it seals what is written now; others only open" }),
});
export type DataKeyShape = Static<typeof DataKeyShape>;
export const DataKeyList = Type.Object({ items: Type.Array(DataKeyShape) });
export const DataKeyRotate = Type.Object(
  { account: Type.Optional(Type.Union([AccountPath], { description: "A tenant; absent for the platform itself" })) },
  { additionalProperties: false },
);
