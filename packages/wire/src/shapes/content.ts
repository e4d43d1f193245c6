import Type, { type Static } from "typebox";
import { AccountPath, Line } from "./common.ts";

const Digest = Type.String({
  pattern: "^[0-9a-f]{64}$",
  maxLength: 64,
  description: "The sha256 of the bytes, in hexadecimal",
});

/** Which of these contents does the tenant of the project not have yet? */
export const ContentAsk = Type.Object(
  {
    project: Type.Optional(AccountPath),
    digests: Type.Array(Digest, { maxItems: 10_000 }),
  },
  { additionalProperties: false },
);
export type ContentAsk = Static<typeof ContentAsk>;

export const ContentMissing = Type.Object({
  missing: Type.Array(
    Type.Object({
      sha256: Digest,
      have: Type.Integer({ description: "Bytes of it that the caller has sent already; sending may go on there" }),
    }),
  ),
  limits: Type.Object(
    { files: Type.Integer(), bytes: Type.Integer() },
    { description: "What the folder sent with one job may hold" },
  ),
});
export type ContentMissing = Static<typeof ContentMissing>;

/**
 * The body of an upload: for each part this object on one line, then `length` bytes, and so on. A part from 0 to the end
 * is a whole content; a longer content goes in several parts, also over several requests.
 */
export const ContentPart = Type.Object(
  {
    sha256: Digest,
    bytes: Type.Integer({ minimum: 0, maximum: 2 ** 40, description: "Of the whole content" }),
    offset: Type.Integer({ minimum: 0, maximum: 2 ** 40 }),
    length: Type.Integer({ minimum: 0, maximum: 16_777_216, description: "Of this part" }),
    path: Type.Optional(Line(1024, "What the sender calls it, for refusals")),
  },
  { additionalProperties: false },
);
export type ContentPart = Static<typeof ContentPart>;

/** What one request may bring, its lines included: small enough to arrive in time on a slow line. */
export const uploadBytesMax = 33_554_432;

export const ContentTaken = Type.Object({
  parts: Type.Integer({ description: "Parts that were taken; all of them" }),
  bytes: Type.Integer(),
});
export type ContentTaken = Static<typeof ContentTaken>;
