import Type, { type Static } from "typebox";
import { Line, Timestamp } from "./common.ts";

const strict = { additionalProperties: false };

export const NamedKeyShape = Type.Object(
  {
    publicKey: Line(100, "Ed25519, SPKI, base64"),
    signature: Type.Optional(Line(100, "By the key before, base64")),
  },
  strict,
);
/** Oldest first; each is signed by the one before. */
export const NamedKeys = Type.Array(NamedKeyShape);

export const HeadShape = Type.Object({
  line: Type.String({ description: "The signed head, as anchors keep it" }),
  server: Type.String(),
  row: Type.Integer(),
  hash: Type.String({ description: "Hash of the last row, hexadecimal" }),
  tree: Type.String({ description: "Root over the hashes of all rows, hexadecimal" }),
  at: Timestamp,
  epoch: Type.Integer(),
  publicKey: Type.String(),
  signature: Type.String({ description: "Ed25519 over the line up to its signature, base64" }),
  keys: NamedKeys,
});
export type HeadShape = Static<typeof HeadShape>;

const Row = Type.Integer({ minimum: 1, maximum: 1e15, description: "Number of a row of the journal" });
export const ConsistencyQuery = Type.Object({ from: Row, to: Row }, strict);
export const ConsistencyShape = Type.Object({
  from: Type.Integer(),
  to: Type.Integer(),
  path: Type.Array(Type.String(), { description: "Shows that the first rows of `to` are those of `from`" }),
});
export type ConsistencyShape = Static<typeof ConsistencyShape>;

const anchorKinds = ["folder", "http", "tessera"] as const;
export const AnchorShape = Type.Object({
  id: Type.String(),
  kind: Type.Enum(anchorKinds),
  to: Type.String(),
  /** The newest head that is known to be kept there. */
  row: Type.Optional(Type.Integer()),
  writtenAt: Type.Optional(Timestamp),
  failure: Type.Optional(Type.String({ description: "Why the newest head could not be written; it is tried again" })),
});
export type AnchorShape = Static<typeof AnchorShape>;
export const AnchorList = Type.Object({ items: Type.Array(AnchorShape) });
export const AnchorAdd = Type.Object(
  {
    kind: Type.Enum(anchorKinds),
    to: Line(1_000, "A folder of the server's machine, or an address"),
    token: Type.Optional(Line(200, "Sent as bearer token; kept encrypted")),
  },
  strict,
);
export type AnchorAdd = Static<typeof AnchorAdd>;

export const WitnessPut = Type.Object(
  { head: Line(1_000, "A signed head"), keys: Type.Array(NamedKeyShape, { minItems: 1, maxItems: 1_000 }) },
  strict,
);
export const WitnessedShape = Type.Object({
  origin: Type.String(),
  row: Type.Integer(),
  head: Type.String(),
  publicKey: Type.String(),
  at: Timestamp,
});
export const WitnessedList = Type.Object({ items: Type.Array(WitnessedShape) });
