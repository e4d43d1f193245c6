import Type, { type Static } from "typebox";
import { Line, Timestamp } from "./common.ts";

/** A browser or a terminal in which its user is signed in. */
export const SessionItem = Type.Object({
  id: Type.String({ description: "Of its token: DELETE /v1/tokens/:token ends it" }),
  kind: Type.Enum(["browser", "tess"]),
  device: Type.String({ description: "The name that its user gave it, or what it says of itself" }),
  address: Type.Optional(Type.String({ description: "Where it was opened from" })),
  by: Type.Optional(Type.String({ description: "How it was opened, such as password, link or sso corp" })),
  createdAt: Timestamp,
  lastUsedAt: Type.Optional(Timestamp),
  expiresAt: Type.Optional(Timestamp),
  here: Type.Boolean({ description: "It is the one that asks" }),
  fresh: Type.Boolean({ description: "On a device that was new, and its user has not said yet that it was them" }),
});
export type SessionItem = Static<typeof SessionItem>;
export const SessionList = Type.Object({ items: Type.Array(SessionItem) });
export const SessionName = Type.Object(
  { label: Type.Optional(Line(60, "A name for it; with or without one, its device is known from now on")) },
  { additionalProperties: false },
);
