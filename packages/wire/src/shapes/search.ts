import Type, { type Static } from "typebox";
import type { ActOn } from "../acts.ts";
import { Timestamp } from "./common.ts";

export const searchKinds = ["job", "node", "account", "user", "invoice", "engine", "pool"] as const;
/** Something that was looked for. The best come first. */
export const SearchHit = Type.Object({
  kind: Type.Enum([...searchKinds]),
  id: Type.String({ description: "What the thing is called in the API" }),
  name: Type.String(),
  address: Type.String({ description: "Where the console shows it" }),
  about: Type.String({ description: "A line about it" }),
  state: Type.Optional(
    Type.String({ description: "Of a job its state, or held; of a node its mode; of a user disabled, else absent" }),
  ),
  /** Of a job: several can have one name. */
  submittedAt: Type.Optional(Timestamp),
  may: Type.Optional(
    Type.Unsafe<"all" | readonly ActOn<"job" | "node" | "user">[]>({
      anyOf: [
        { type: "string", const: "all" },
        { type: "array", items: { type: "string" } },
      ],
      description: "What the caller may do with a live job, a node or a user, by the names of routes, or all",
    }),
  ),
});
export type SearchHit = Static<typeof SearchHit>;
export const SearchResult = Type.Object({ items: Type.Array(SearchHit) });
