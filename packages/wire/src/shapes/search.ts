import Type, { type Static } from "typebox";

/** Something that was looked for. The best come first. */
export const SearchHit = Type.Object({
  kind: Type.Enum(["job", "node", "account", "user", "invoice", "engine", "pool"]),
  id: Type.String({ description: "What the thing is called in the API" }),
  name: Type.String(),
  address: Type.String({ description: "Where the console shows it" }),
  about: Type.String({ description: "A line about it" }),
});
export type SearchHit = Static<typeof SearchHit>;
export const SearchResult = Type.Object({ items: Type.Array(SearchHit) });
